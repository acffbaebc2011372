// `ports` and `protocols` of a rule → one list of alternatives; neither: any traffic. And what may not be together: IGMP
// must be alone, and multicast is only dropped or allowed.

import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import type { Action, Direction } from "../../policy/ir.ts";
import { isMulticast } from "../peers/blocks.ts";
import type { Members, Network } from "../peers/members.ts";
import type { Traffic } from "./ports.ts";
import { readPort } from "./ports.ts";
import type { ProtocolTraffic } from "./protocols.ts";
import { readProtocolEntry } from "./protocols.ts";
import type { Reading } from "../reading.ts";

export interface RuleTraffic {
  /** null: any traffic. */
  readonly ports: Traffic | null;
  /** The multicast groups that IGMP is about, as peers: of what an allow may match, and of all; null: no IGMP. */
  readonly groups: { readonly within: readonly Network[]; readonly around: readonly Network[] } | null;
}

const besideIgmp = ["ports", "from", "to", "toServices"];

export function readTraffic(rule: Field, direction: Direction, reading: Reading): RuleTraffic | null {
  const ports = readEntries(rule.at("ports"), (item) => readPort(item, reading));
  const protocols = readEntries(rule.at("protocols"), (item) => readProtocolEntry(item, direction, reading));
  if (ports === null || protocols === null) return null;
  const isIgmp = protocols.some(({ groups }) => groups !== null);
  if (isIgmp && !isAlone(rule, protocols)) return null;
  const entries = [...ports, ...protocols];
  if (entries.length === 0) return { ports: null, groups: null };
  return { ports: union(entries), groups: isIgmp ? groupsOf(protocols) : null };
}

function readEntries<T>(field: Field, read: (item: Field) => T | null): readonly T[] | null {
  if (!field.present) return [];
  const items = field.list(0, Infinity);
  return items && readAll(items, read);
}

/** The same list twice where every entry is exact. */
function union(entries: readonly Traffic[]): Traffic {
  const within = entries.flatMap((entry) => entry.within);
  if (entries.every((entry) => entry.within === entry.around)) return { within, around: within };
  const isAny = entries.some(({ around }) => around === null);
  return { within, around: isAny ? null : entries.flatMap(({ around }) => around ?? []) };
}

function isAlone(rule: Field, protocols: readonly ProtocolTraffic[]): boolean {
  const other = besideIgmp.find((name) => rule.at(name).items().length > 0);
  const isMixed = protocols.some(({ groups }) => groups === null);
  if (other !== undefined) rule.at(other).error("must not be beside igmp");
  else if (isMixed) rule.at("protocols").error("icmp must not be beside igmp");
  return other === undefined && !isMixed;
}

function groupsOf(protocols: readonly ProtocolTraffic[]): RuleTraffic["groups"] {
  const of = (entries: readonly ProtocolTraffic[]) => [
    ...new Set(entries.flatMap(({ groups }) => groups ?? [])),
  ];
  return { within: of(protocols.filter(({ within }) => within.length > 0)), around: of(protocols) };
}

/** Tells what the API does not take of multicast; whether the rule is free of it. */
export function refuseMulticast(
  rule: Field,
  direction: Direction,
  action: Action | "unknown",
  { groups }: RuleTraffic,
  { networks }: Members,
): boolean {
  const some = networks.filter(isMulticast).length;
  const isLoud = action === "pass" || action === "reject";
  const about = groups === null ? (some > 0 ? "a multicast network" : null) : "igmp";
  if (isLoud && about !== null) rule.at("action").error(`must be Allow or Drop in a rule with ${about}`);
  const isMixed = direction === "egress" && some > 0 && some < networks.length;
  if (isMixed) rule.at("to").error("must not have multicast networks beside others");
  return !isMixed && !(isLoud && about !== null);
}
