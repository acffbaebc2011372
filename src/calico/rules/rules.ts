// Entries of `ingress` and `egress` → rules. A rule of which a part is not known here, or cannot be said, is closed: an Allow
// matches nothing then, and a Deny or a Pass denies everything that its policy is about.

import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import type { Action, Direction, PodGroup, Rule, RuleLogging } from "../../policy/ir.ts";
import { everyPeer } from "../../policy/ir.ts";
import { familyOfRule } from "../ends/nets.ts";
import type { Side } from "../ends/side.ts";
import { readSide } from "../ends/side.ts";
import { sides } from "../fields.ts";
import type { Reading } from "../reading.ts";
import type { Traffic } from "../traffic/traffic.ts";
import { readTraffic } from "../traffic/traffic.ts";
import { closeHttp } from "./http.ts";
import { loggedBy } from "./log.ts";
import { ownParts, peerParts } from "./peers.ts";

/** As Calico's CRDs have it. */
const most = 1024;

const known = [
  ...["action", "protocol", "notProtocol", "icmp", "notICMP", "ipVersion", "source", "destination"],
  ...["http", "metadata"],
];

const actions = new Map<unknown, Action | "log">([
  ["Allow", "allow"],
  ["Deny", "deny"],
  ["Pass", "pass"],
  ["Log", "log"],
]);

interface RuleRead {
  readonly index: number;
  readonly action: Action | "log";
  readonly own: Side;
  readonly peer: Side;
  readonly traffic: Traffic;
  readonly isClosed: boolean;
}

/** Rules as they are before it is known which pods they are about. */
export interface RulesRead {
  readonly rules: readonly RuleRead[];
  readonly logged: ReadonlySet<number>;
}

/** `closes`: something of the policy is not known, so that every rule is closed. null: an error was reported. */
export function readRules(
  field: Field,
  direction: Direction,
  closes: boolean,
  reading: Reading,
): RulesRead | null {
  if (!field.present) return { rules: [], logged: new Set() };
  const items = field.list(0, most);
  const rules = items && readAll(items, (item, index) => readOne(item, index, direction, closes, reading));
  return items && rules && { rules, logged: loggedBy(items) };
}

function readOne(
  field: Field,
  index: number,
  direction: Direction,
  closes: boolean,
  reading: Reading,
): RuleRead | null {
  if (!field.object()) return null;
  const before = reading.closings;
  reading.closeUnknown(field, known);
  const action = readAction(field.at("action"));
  const isEgress = direction === "egress";
  const side = (name: string, isPeer: boolean) =>
    readSide(field.at(name), { isEgress, isPeer, isAllow: action === "allow" }, reading);
  const [peer, own] = [side(sides[direction].peer, true), side(sides[direction].own, false)];
  const traffic = readTraffic(field, reading);
  const isHttp = closeHttp(field, { isEgress, isAllow: action === "allow" }, reading);
  if (action === null || peer === null || own === null || traffic === null || !isHttp) return null;
  const family = familyOfRule(field, [peer.nets, own.nets], traffic.family);
  if (family === undefined) return null;
  if (peer.names.length > 0 && traffic.family !== null)
    reading.close(field.at("ipVersion"), "cannot restrict names of domains here");
  const isClosed = closes || reading.closings > before;
  return { index, action, own, peer, traffic: { ...traffic, family }, isClosed };
}

function readAction(field: Field): Action | "log" | null {
  const action = actions.get(field.raw);
  if (action !== undefined) return action;
  if (!field.present) return field.error("this field is required", "MissingField");
  return field.error(
    `must be one of ${[...actions.keys()].join(", ")}, not ${field.quoted}`,
    "UnknownAction",
  );
}

/** The rules of a policy about these pods. A Log decides nothing: it is none. */
export function rulesFor({ rules, logged }: RulesRead, subject: readonly PodGroup[]): readonly Rule[] {
  return rules.flatMap((one) => {
    const { index, action, isClosed } = one;
    if (action === "log") return [];
    const logging: RuleLogging | null = logged.has(index) ? { severity: "info", label: null } : null;
    const whole = { index, name: "", logging, share: null, subject: null, ports: null };
    if (isClosed && action === "allow") return [{ ...whole, action, peers: [] }];
    if (isClosed) return [{ ...whole, action: "deny", peers: everyPeer }];
    return partsOf(one, action, subject).map((part) => ({ ...whole, ...part }));
  });
}

function partsOf(
  { own, peer, traffic: { ports, family } }: RuleRead,
  action: Action,
  subject: readonly PodGroup[],
): readonly Omit<Rule, "index" | "name" | "logging">[] {
  const nothing = { action, share: null, subject: null, peers: [], ports: null };
  if (ports?.length === 0) return [nothing];
  const [owns, peers] = [ownParts(own, family, subject), peerParts(peer, family, ports)];
  if (peers.length === 0) return [nothing];
  return owns.flatMap((part) => peers.map((end) => ({ action, ...part, ...end, share: shareOf(part, end) })));
}

/** What tells the parts of a rule apart; null: it has no others. */
function shareOf(own: Pick<Rule, "share">, peer: Pick<Rule, "share">): string | null {
  const shares = [own.share, peer.share].filter((share) => share !== null);
  return shares.length === 0 ? null : shares.join(" ");
}
