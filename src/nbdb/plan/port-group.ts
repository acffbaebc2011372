// Plans one Port_Group row: inserts it whole when it is missing, otherwise mutates only the references that differ. A
// pod whose port has no row yet is left out: it becomes pending when the port's row appears.

import type { Mutation, Operation } from "../../ovsdb/notation/operation.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { Elements as SetElements } from "../../ovsdb/notation/string-set.ts";
import type { Reference } from "../actual/actual.ts";
import type { DesiredRows } from "../desired/unit-state.ts";
import type { ReadonlyPending } from "../pending.ts";
import { sameMap } from "../rows/compare.ts";
import { isOfAnother } from "../rows/names.ts";
import { northboundOperations as operation } from "../rows/schema.ts";
import type { DesiredPortGroup, UnitKey } from "../rows/unit.ts";
import type { AclPlan } from "./acls.ts";
import { chosenAcl, referredAcls } from "./acls.ts";
import { difference } from "./address-set.ts";
import type { PlanContext } from "./context.ts";

type Column = "ports" | "acls";

interface Change {
  readonly column: Column;
  readonly added: readonly Reference[];
  readonly removed: readonly Uuid[];
}

/** What is planned of the unit that the group belongs to. */
interface UnitPlan {
  readonly state: DesiredRows;
  readonly pending: ReadonlyPending;
  readonly acls: AclPlan;
  readonly context: PlanContext;
}

const noPorts: ReadonlySet<string> = new Set();

export function planPortGroup(
  portGroup: DesiredPortGroup,
  { state, pending, acls, context }: UnitPlan,
): readonly Operation[] {
  const { name } = portGroup;
  const isWhole = pending.whole || pending.portGroups.has(name);
  const ports = isWhole ? "all" : (pending.ports.get(name) ?? noPorts);
  const found = context.actual.portGroup(name);
  if (found === null || isOfAnother(found.row, portGroup.externalIds)) {
    const known = [...knownPorts(portGroup, context)];
    return planNewPortGroup(portGroup, state, { acls, ports: known }, context);
  }
  const { uuid, row } = found;
  const changes: Change[] = [];
  if (isWhole || pending.aclReferences.has(name) || acls.portGroups.has(name)) {
    const want = aclReferences(portGroup, state, acls, context);
    const kept = new Set(want.filter((reference) => typeof reference === "string"));
    changes.push({
      column: "acls",
      added: want.filter((reference) => typeof reference !== "string" || !row.acls.has(reference)),
      removed: difference(kept, row.acls).removed,
    });
  }
  const { added, removed } = portChange(portGroup, ports, row.ports, context);
  const { keptPorts } = context;
  changes.push({ column: "ports", added, removed: removed.filter((uuid) => !keptPorts.has(uuid)) });

  const operations: Operation[] = [];
  if (ports === "all" && !sameMap(row.external_ids, portGroup.externalIds)) {
    operations.push(operation.update("Port_Group", uuid, { external_ids: portGroup.externalIds }));
  }
  const mutations = changes.flatMap(mutationsOf);
  if (mutations.length > 0) operations.push(operation.mutate("Port_Group", uuid, mutations));
  return operations;
}

/** The group with all its ACLs. ACLs act on the switches of a group's ports, so a group without ports has no effect. */
export function planNewPortGroup(
  portGroup: DesiredPortGroup,
  state: DesiredRows,
  { acls, ports }: { readonly acls: AclPlan; readonly ports: readonly Uuid[] },
  context: PlanContext,
): readonly Operation[] {
  const references = aclReferences(portGroup, state, acls, context);
  const row = { name: portGroup.name, ports, acls: references, external_ids: portGroup.externalIds };
  const before = context.lost.get(portGroup.name);
  const removal = before === undefined ? [] : [operation.remove("Port_Group", before)];
  return [...removal, operation.insert("Port_Group", row)];
}

function aclReferences(
  { name }: DesiredPortGroup,
  state: DesiredRows,
  acls: AclPlan,
  context: PlanContext,
): readonly Reference[] {
  const references: Reference[] = [];
  const referred = referredAcls(name, context);
  for (const { id } of state.aclsOf(name)) {
    const reference = acls.inserted.get(id) ?? chosenAcl(context.actual.acls(id), referred)?.uuid ?? null;
    if (reference !== null) references.push(reference);
  }
  return references;
}

function* knownPorts(portGroup: DesiredPortGroup, { actual, content }: PlanContext): Generator<Uuid> {
  for (const name of content.portNames(portGroup)) {
    const uuid = actual.port(name);
    if (uuid !== null) yield uuid;
  }
}

function portChange(
  portGroup: DesiredPortGroup,
  ports: ReadonlySet<string> | "all",
  have: SetElements<Uuid>,
  context: PlanContext,
): Omit<Change, "column"> {
  if (ports === "all") return difference(new Set(knownPorts(portGroup, context)), have);
  const added: Uuid[] = [];
  const removed: Uuid[] = [];
  for (const name of ports) {
    const uuid = context.actual.port(name);
    if (uuid === null) continue;
    const want = context.content.hasPort(portGroup, name);
    if (want && !have.has(uuid)) added.push(uuid);
    if (!want && have.has(uuid)) removed.push(uuid);
  }
  return { added, removed };
}

/** Leaves the unit's groups, which are not desired, with the kept ports alone. */
export function planKeptPorts(unit: UnitKey, { actual, keptPorts }: PlanContext): readonly Operation[] {
  return actual.ownedBy("Port_Group", unit).flatMap(({ uuid, row }) => {
    const removed = [...row.ports].filter((port) => !keptPorts.has(port));
    const mutations = mutationsOf({ column: "ports", added: [], removed });
    return mutations.length === 0 ? [] : [operation.mutate("Port_Group", uuid, mutations)];
  });
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
