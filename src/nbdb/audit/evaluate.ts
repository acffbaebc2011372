// The verdict that the ACLs of a database give on a connection, of every owner (ovn-nb(5), ACL; judged by
// ovn-trace in the tests). At each stage tiers are evaluated in their order and priorities from the highest; allow, drop and reject
// end the stage, `pass` continues with the next tier, and what nothing matches is allowed, or dropped with default_acl_drop.
// What OVN leaves open, and what cannot be read, is followed both ways: the verdict is unknown unless all ways end alike.

import { printable } from "../../model/quote.ts";
import type { Stage } from "./journey.ts";
import { journey } from "./journey.ts";
import { groupsIn } from "./match/expression.ts";
import type { MatchResult, Packet } from "./match/meets.ts";
import { meets } from "./match/meets.ts";
import type { RowConnection } from "./packet.ts";
import { packetOf } from "./packet.ts";
import type { AclRecord } from "../rows/records.ts";
import { idOf } from "../rows/records.ts";
import type { ReadAcl } from "./stages.ts";
import type { DatabaseRows } from "./database-rows.ts";

export type RowVerdict = "allow" | "deny" | "unknown";

/** An ACL that decides or passes. */
export interface RowAcl extends Pick<AclRecord, "name" | "tier" | "priority" | "action" | "match"> {
  /** null: the rows are from a file without uuids. */
  readonly uuid: string | null;
  /** `k8s.ovn.org/id`; null: it has none. */
  readonly id: string | null;
}

export interface RowSide {
  readonly verdict: RowVerdict;
  /** In the order in which the packet meets them. Several of one place match alike, and OVN takes any of them. */
  readonly acls: readonly RowAcl[];
}

export interface RowCaveat {
  readonly code: "Match" | "Tie";
  readonly text: string;
}

export interface RowsVerdict {
  readonly verdict: RowVerdict;
  readonly egress: RowSide;
  readonly ingress: RowSide;
  readonly caveats: readonly RowCaveat[];
}

export function evaluateRows(rows: DatabaseRows, connection: RowConnection): RowsVerdict {
  const walked = journey(rows, connection).map((stage) => {
    const stops = stopsOf(stage, packetOf(connection, stage));
    // The option counts on every switch that has an ACL, at each of its stages.
    const isDropped = rows.defaultAclDrop && stage.on.hasAcls;
    return { side: stage.side, stops, walk: walkOf(stops, isDropped) };
  });
  const of = (side: Stage["side"]): readonly Walk[] =>
    walked.flatMap((one) => (one.side === side ? [one.walk] : []));
  const caveats = new Map(
    walked.flatMap(({ stops }) => stops.flatMap(caveatsOf)).map((caveat) => [caveat.text, caveat] as const),
  );
  return {
    verdict: verdictOf(walked.map(({ walk }) => walk)),
    egress: sideOf(of("egress")),
    ingress: sideOf(of("ingress")),
    caveats: [...caveats.values()],
  };
}

type Ending = "allow" | "deny";

/** How a stage may end, and the ACLs on the way. */
interface Walk {
  readonly endings: ReadonlySet<Ending>;
  readonly acls: readonly ReadAcl[];
}

function sideOf(walks: readonly Walk[]): RowSide {
  const denied = walks.findIndex(({ endings }) => !endings.has("allow"));
  const reached = denied < 0 ? walks : walks.slice(0, denied + 1);
  return { verdict: verdictOf(walks), acls: reached.flatMap(({ acls }) => acls).map(rowAcl) };
}

/** Each stage must let the packet pass. */
function verdictOf(walks: readonly Walk[]): RowVerdict {
  if (!walks.every(({ endings }) => endings.has("allow"))) return "deny";
  return walks.some(({ endings }) => endings.has("deny")) ? "unknown" : "allow";
}

function rowAcl({ row }: ReadAcl): RowAcl {
  const { uuid, name, tier, priority, action, match } = row;
  return { uuid, id: idOf(row), name, tier, priority, action, match };
}

/** A place that the packet may reach and whose ACLs it meets, or may meet. */
interface Stop {
  readonly tier: number;
  readonly sure: readonly ReadAcl[];
  /** Nobody can say whether it meets them. */
  readonly open: readonly ReadAcl[];
}

/** From the last stop back to the first. */
function walkOf(stops: readonly Stop[], isDropped: boolean): Walk {
  const end = ending(isDropped ? "deny" : "allow");
  const walks: Walk[] = [];
  for (const [at, stop] of [...stops.entries()].reverse()) {
    const nextTier = stops.findIndex(({ tier }) => tier > stop.tier);
    walks[at] = joined(stop, walks[at + 1] ?? end, walks[nextTier] ?? end);
  }
  return walks[0] ?? end;
}

function stopsOf(stage: Stage, packet: Packet): readonly Stop[] {
  const stops: Stop[] = [];
  /** The tier in which something surely matches, and whether it or anything before it passes. */
  let ended: number | null = null;
  let passes = false;
  for (const { tier, acls } of stage.places) {
    if (tier === ended) continue;
    if (ended !== null && !passes) break;
    if (tier !== stops.at(-1)?.tier) passes = false;
    ended = null;
    const met = acls.map((acl) => ({ acl, met: metBy(stage, packet, acl) }));
    const sure = met.flatMap((one) => (one.met === true ? [one.acl] : []));
    const open = met.flatMap((one) => (one.met === null ? [one.acl] : []));
    if (sure.length + open.length === 0) continue;
    stops.push({ tier, sure, open });
    passes ||= [...sure, ...open].some(({ row }) => row.action === "pass");
    if (sure.length > 0) ended = tier;
  }
  return stops;
}

/** `next`: where nothing of the stop is met; `passed`: where it is passed on. The first way is the one that is shown. */
function joined({ sure, open }: Stop, next: Walk, passed: Walk): Walk {
  const kinds = new Set([...sure, ...open].map(({ row }) => kindOf(row.action)));
  const ways = [
    ...(sure.length === 0 ? [next] : []),
    ...[...kinds].map((kind) => (kind === "pass" ? passed : ending(kind))),
  ];
  const [shown] = ways;
  return {
    endings: new Set(ways.flatMap(({ endings }) => [...endings])),
    acls: [...sure, ...(isTie(sure) ? [] : (shown?.acls ?? []))],
  };
}

function isTie(acls: readonly ReadAcl[]): boolean {
  return new Set(acls.map(({ row }) => kindOf(row.action))).size > 1;
}

function caveatsOf({ sure, open }: Stop): readonly RowCaveat[] {
  return [...(isTie(sure) ? [tieCaveat(sure)] : []), ...open.map(matchCaveat)];
}

function ending(kind: Ending): Walk {
  return { endings: new Set([kind]), acls: [] };
}

function kindOf(action: string): Ending | "pass" {
  if (action === "pass") return "pass";
  return action === "drop" || action === "reject" ? "deny" : "allow";
}

/** null: the match cannot be read, or it asks for what is not known of the packet. */
function metBy({ on }: Stage, packet: Packet, { match }: ReadAcl): MatchResult {
  if ("refused" in match) return null;
  const met = meets(packet, match.expression);
  if (met !== true) return met;
  // OVN knows a group on a switch only where the group has a port there, and leaves the ACL out otherwise.
  return groupsIn(match.expression).every(({ ports }) => !ports.isDisjointFrom(on.ports)) ? true : null;
}

function nameOf({ row }: ReadAcl): string {
  const id = idOf(row) ?? row.uuid ?? "";
  return `ACL ${printable(id)} (tier ${row.tier}, priority ${row.priority}, ${row.action})`;
}

function matchCaveat(acl: ReadAcl): RowCaveat {
  const { match } = acl;
  const why = "refused" in match ? match.refused : "it asks for what is not known of a connection";
  return { code: "Match", text: `${nameOf(acl)} cannot be judged: ${printable(why)}` };
}

function tieCaveat(acls: readonly ReadAcl[]): RowCaveat {
  return { code: "Tie", text: `OVN leaves open which of these decides: ${acls.map(nameOf).join(", ")}` };
}
