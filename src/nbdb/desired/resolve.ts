// Resolves named ports again where their destinations may have changed: a separate step before planning. The result
// becomes part of the desired rows; where it may differ from the database, it is made pending.

import type { NamedPorts } from "../../contents/named-ports.ts";
import type { UnitPending } from "../pending.ts";
import type { Present } from "./resolved-ports.ts";
import type { SetContents } from "./set-contents.ts";
import type { UnitState } from "./unit-state.ts";

export interface ResolveContext {
  readonly namedPorts: NamedPorts<string>;
  readonly present: Present;
  /** Records what sets of named ports hold, as far as a walk over all destinations has shown it. */
  readonly contents: SetContents;
}

export function resolveNamedPorts(
  state: UnitState,
  pending: UnitPending,
  { namedPorts, present, contents }: ResolveContext,
): void {
  if (!state.namesPorts) return;
  // One walk finds the contents of all sets of a rule.
  for (const { name, named } of state.namedPortSets()) {
    if (pending.addressSets.get(name) === "all") pending.markNamedPorts(named, "all");
  }
  if (pending.whole) for (const named of state.namedPortRules()) pending.markNamedPorts(named, "all");
  for (const [named, addresses] of pending.namedPorts) {
    const resolution = state.resolve(named, addresses, namedPorts, present);
    if (resolution === null) continue;
    for (const id of resolution.acls) pending.markAcl(id);
    for (const [set, elements] of resolution.sets) pending.markAddresses(set, elements);
    for (const [set, found] of resolution.contents) contents.know(set, found);
  }
  pending.resolvedNamedPorts();
}
