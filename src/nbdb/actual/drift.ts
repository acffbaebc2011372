// Turns the server's changes into pending work: which of our rows changed, which ports appeared or went. The changes
// that our own writes cause arrive here too, and the planner then finds nothing to do for them.

import type { LostRows } from "./lost-rows.ts";
import type { RowChange } from "../../ovsdb/session/session.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import type { Membership } from "../../policy/contracts/membership.ts";
import type { Actual } from "./actual.ts";
import type { Desired } from "../desired/desired.ts";
import type { Pending } from "../pending.ts";
import type { InFlight } from "./in-flight.ts";
import { keys, podOfPort } from "../rows/names.ts";
import type { Owners } from "../rows/owners.ts";
import { ownerOf } from "../rows/owners.ts";
import type { Northbound, OwnedTable } from "../rows/schema.ts";
import type { UnitKey } from "../rows/unit.ts";
import { samplingUnit } from "../rows/unit.ts";
import type { ActualSamples } from "./samples.ts";

type Change = RowChange<Northbound>;
type OwnedChange = RowChange<Northbound, OwnedTable>;

export interface DriftContext {
  readonly owners: Owners;
  readonly membership: Membership;
  readonly desired: Desired;
  readonly actual: Actual;
  readonly pending: Pending;
  /** Rows of ours that left the cache, by name. */
  readonly lost: Pick<LostRows, "added" | "removed">;
  readonly inFlight: InFlight;
  /** Is called with pods whose ports were added or removed. */
  readonly unconnected: { look(pod: PodKey): void };
  /** null: ACLs are not sampled. */
  readonly sampling: { readonly isDue: boolean; readonly actual: Pick<ActualSamples, "sampledAcls"> } | null;
}

/** The changes of one update. */
export function noteChanges(changes: readonly Change[], context: DriftContext): void {
  context.inFlight.identify(changes);
  for (const change of changes) noteChange(change, context);
}

function noteChange(change: Change, context: DriftContext): void {
  if (isPortChange(change)) notePort(change, context);
  else if (isOwnedTable(change.table)) noteOwned(change as OwnedChange, context);
  else if (change.table === "Sample") noteSample(change, context);
  else if (change.table === "Sample_Collector" || change.table === "Sampling_App") noteSampling(context);
}

/** A Sample comes and goes with its ACL: of the row itself only edits count. */
function noteSample(
  { uuid, before, after }: Change,
  { sampling, actual, owners, pending }: DriftContext,
): void {
  if (before === null || after === null) return;
  for (const acl of sampling?.actual.sampledAcls(uuid) ?? []) {
    const externalIds = actual.acl(acl)?.external_ids;
    const owner = externalIds === undefined ? null : ownerOf(externalIds, owners);
    const id = externalIds?.get(keys.id);
    if (owner !== null && id !== undefined) pending.driftOf(owner).markAcl(id);
  }
}

function noteSampling({ sampling, pending }: DriftContext): void {
  if (sampling?.isDue === true) pending.driftOf(samplingUnit).markWhole();
}

function isOwnedTable(table: Change["table"]): table is OwnedTable {
  return table === "ACL" || table === "Address_Set" || table === "Port_Group";
}

function isPortChange(change: Change): change is RowChange<Northbound, "Logical_Switch_Port"> {
  return change.table === "Logical_Switch_Port";
}

function notePort(
  { before, after }: RowChange<Northbound, "Logical_Switch_Port">,
  context: DriftContext,
): void {
  for (const row of [before, after]) {
    const pod = row === null ? null : podOfPort(row.name);
    if (row === null || pod === null) continue;
    const key = podKey(pod.namespace, pod.name);
    context.unconnected.look(key);
    for (const group of context.membership.groupsOf(key)) {
      for (const { unit, name } of context.desired.portGroupsOf(group))
        context.pending.of(unit).markPorts(name, [row.name]);
    }
  }
}

function noteOwned(change: OwnedChange, context: DriftContext): void {
  if (context.inFlight.hear(change)) {
    if (change.before === null && change.table !== "ACL") noteLost(nameOf(change), change, context);
    return;
  }
  const ownerBefore = ownerIn(change.before, context);
  const ownerAfter = ownerIn(change.after, context);
  for (const owner of new Set([ownerBefore, ownerAfter])) {
    if (owner === null) continue;
    // For the owner that the row named before, a row that now names another owner was removed.
    const seen = { ...change, after: ownerAfter === owner ? change.after : null } as OwnedChange;
    if (seen.table === "Address_Set")
      noteAddressSet(owner, seen as RowChange<Northbound, "Address_Set">, context);
    if (seen.table === "Port_Group")
      notePortGroup(owner, seen as RowChange<Northbound, "Port_Group">, context);
    if (seen.table === "ACL") noteAcl(owner, seen as RowChange<Northbound, "ACL">, context);
  }
}

function ownerIn(row: OwnedChange["before"], { owners }: DriftContext): UnitKey | null {
  return row === null ? null : ownerOf(row.external_ids, owners);
}

function noteAddressSet(
  owner: UnitKey,
  change: RowChange<Northbound, "Address_Set">,
  context: DriftContext,
): void {
  const { before, after, columns } = change;
  const name = nameOf(change);
  if ((context.desired.get(owner)?.addressSet(name) ?? null) === null) {
    // A row that was removed and is not desired needs no work.
    if (after !== null) context.pending.driftOf(owner).markWhole();
    return;
  }
  const pending = context.pending.driftOf(owner);
  const elements = columns.size === 1 ? columns.get("addresses") : undefined;
  if (before !== null && after !== null && elements instanceof Set) {
    pending.markAddresses(name, Iterator.from(elements).map(String));
    return;
  }
  noteLost(name, change, context);
  pending.markAddresses(name, "all");
}

function notePortGroup(
  owner: UnitKey,
  change: RowChange<Northbound, "Port_Group">,
  context: DriftContext,
): void {
  const { before, after, columns } = change;
  const name = nameOf(change);
  const desired = isGroupDesired(owner, name, context);
  const cameOrWent = before === null || after === null;
  // A row that was removed and is not desired needs no work, its ACLs neither.
  if (!desired && after === null) return;
  if (desired && cameOrWent) noteLost(name, change, context);
  const ports = namesOf(columns.get("ports"), context.actual);
  // The server itself drops references to removed ports.
  const isDrift = columns.size > 1 || !columns.has("ports") || ports.length > 0;
  const pending = isDrift ? context.pending.driftOf(owner) : context.pending.of(owner);
  if (!desired || cameOrWent || columns.has("name") || columns.has("external_ids")) pending.markWhole();
  if (columns.has("acls")) pending.markReferences(name);
  pending.markPorts(name, ports);
}

function isGroupDesired(owner: UnitKey, name: string, { desired }: DriftContext): boolean {
  return (desired.get(owner)?.portGroup(name) ?? null) !== null;
}

function nameOf({ before, after }: OwnedChange): string {
  return (after ?? before)?.name ?? "";
}

/** A port without a row has no name and needs no work: the server drops weak references itself. */
function namesOf(ports: ReadonlySet<unknown> | null | undefined, actual: Actual): readonly string[] {
  return [...(ports ?? [])].map((port) => actual.portName(port as Uuid)).filter((name) => name !== null);
}

function noteAcl(
  owner: UnitKey,
  { before, after }: RowChange<Northbound, "ACL">,
  context: DriftContext,
): void {
  const pending = context.pending.driftOf(owner);
  for (const row of [before, after]) {
    const id = row?.external_ids.get(keys.id);
    if (id !== undefined) pending.markAcl(id);
  }
}

/**
 * A desired row left the cache: another client deleted it, or edited it so that the monitor's condition no longer shows
 * it. Its uuid is remembered because we know that the row was ours: the row that replaces it may take over the unique
 * name.
 */
function noteLost(name: string, { uuid, after }: OwnedChange, { lost }: DriftContext): void {
  if (after !== null) lost.added(name);
  else lost.removed(name, uuid);
}
