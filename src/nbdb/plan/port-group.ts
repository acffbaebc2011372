// One Port_Group row: inserted whole when it is missing, otherwise only the references that differ are mutated. A pod
// whose port has no row yet waits: it is pending again when the port's row appears.

import type { Mutation, Operation } from "../../ovsdb/operation.ts";
import type { Uuid } from "../../ovsdb/description.ts";
import type { Elements as SetElements } from "../../ovsdb/string-set.ts";
import type { Reference } from "../actual/actual.ts";
import { sameMap } from "../rows/compare.ts";
import type { PolicyState } from "../desired/policy-state.ts";
import type { PendingElements } from "../../contents/pending-elements.ts";
import type { PolicyPending } from "../pending.ts";
import type { AclPlan } from "./acls.ts";
import { chosenAcl, referredAcls } from "./acls.ts";
import { difference } from "./address-set.ts";
import type { PlanContext } from "./context.ts";
import { northboundOperations as operation } from "../rows/schema.ts";

type Column = "ports" | "acls";

interface Change {
  readonly column: Column;
  readonly added: readonly Reference[];
  readonly removed: readonly Uuid[];
}

export function planPortGroup(
  state: PolicyState,
  pending: PolicyPending,
  acls: AclPlan,
  context: PlanContext,
): readonly Operation[] {
  const { portGroup } = state.rows;
  const ports: PendingElements<string> = pending.whole ? "all" : pending.ports;
  const references = pending.whole || pending.aclReferences || acls.referencesChanged;
  if (!references && ports !== "all" && ports.size === 0) return [];

  const found = context.actual.portGroup(portGroup.name);
  if (found === null) return planNewPortGroup(state, acls, [...knownPorts(state, context)], context);

  const { uuid, row } = found;
  const changes: Change[] = [];
  if (references) {
    const want = aclReferences(state, acls, context);
    const kept = new Set(want.filter((reference) => typeof reference === "string"));
    changes.push({
      column: "acls",
      added: want.filter((reference) => typeof reference !== "string" || !row.acls.has(reference)),
      removed: difference(kept, row.acls).removed,
    });
  }
  changes.push({ column: "ports", ...portChange(state, ports, row.ports, context) });

  const operations: Operation[] = [];
  if (ports === "all" && !sameMap(row.external_ids, portGroup.externalIds)) {
    operations.push(operation.update("Port_Group", uuid, { external_ids: portGroup.externalIds }));
  }
  const mutations = changes.flatMap(mutationsOf);
  if (mutations.length > 0) operations.push(operation.mutate("Port_Group", uuid, mutations));
  return operations;
}

/** The group with all its ACLs. Without ports it is in force nowhere: ACLs act on the switches of a group's ports. */
export function planNewPortGroup(
  state: PolicyState,
  acls: AclPlan,
  ports: readonly Uuid[],
  context: PlanContext,
): readonly Operation[] {
  const { portGroup } = state.rows;
  const references = aclReferences(state, acls, context);
  const row = { name: portGroup.name, ports, acls: references, external_ids: portGroup.externalIds };
  const before = context.lost.get(portGroup.name);
  const removal = before === undefined ? [] : [operation.remove("Port_Group", before)];
  return [...removal, operation.insert("Port_Group", row)];
}

function aclReferences(state: PolicyState, acls: AclPlan, context: PlanContext): readonly Reference[] {
  const references: Reference[] = [];
  const referred = referredAcls(state, context);
  for (const { id } of state.acls()) {
    const reference = acls.inserted.get(id) ?? chosenAcl(id, referred, context)?.uuid ?? null;
    if (reference !== null) references.push(reference);
  }
  return references;
}

function* knownPorts(state: PolicyState, { actual, content }: PlanContext): Generator<Uuid> {
  for (const name of content.portNames(state.rows.portGroup)) {
    const uuid = actual.port(name);
    if (uuid !== null) yield uuid;
  }
}

function portChange(
  state: PolicyState,
  ports: PendingElements<string>,
  have: SetElements<Uuid>,
  context: PlanContext,
): Omit<Change, "column"> {
  if (ports === "all") return difference(new Set(knownPorts(state, context)), have);
  const added: Uuid[] = [];
  const removed: Uuid[] = [];
  for (const name of ports) {
    const uuid = context.actual.port(name);
    if (uuid === null) continue;
    const want = context.content.hasPort(state.rows.portGroup, name);
    if (want && !have.has(uuid)) added.push(uuid);
    if (!want && have.has(uuid)) removed.push(uuid);
  }
  return { added, removed };
}

function mutationsOf({
  column,
  added,
  removed,
}: Change): readonly (Mutation & { readonly column: Column })[] {
  return [
    ...(removed.length > 0 ? [{ column, mutator: "delete", value: removed } as const] : []),
    ...(added.length > 0 ? [{ column, mutator: "insert", value: added } as const] : []),
  ];
}
