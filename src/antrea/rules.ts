// Entries of `ingress` and `egress` → rules. What a rule cannot say as it is written makes it stricter: an allow then
// allows less, and any other action becomes a deny that covers at least what was meant.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Action, Direction, Peer, PortMatch, Rule } from "../policy/ir.ts";
import type { AppliedTo } from "./peers/applied-to.ts";
import { readAppliedTo } from "./peers/applied-to.ts";
import { everyAddress } from "./peers/blocks.ts";
import { actions } from "./kinds.ts";
import { readL7Protocols } from "./traffic/l7.ts";
import { readRuleLogging } from "./logging.ts";
import type { Members } from "./peers/members.ts";
import { noMembers, openMembers, peersOf, union } from "./peers/members.ts";
import type { PeerPlace } from "./peers/peers.ts";
import { readPeer } from "./peers/peers.ts";
import type { Reading } from "./reading.ts";
import type { ServiceBackends } from "./peers/services.ts";
import { readToServices, rulesThrough } from "./peers/services.ts";
import type { RuleTraffic } from "./traffic/traffic.ts";
import { readTraffic, refuseMulticast } from "./traffic/traffic.ts";

const peerFields = { ingress: "from", egress: "to" } as const;
const known = [
  "action",
  "ports",
  "protocols",
  "l7Protocols",
  "name",
  "enableLogging",
  "logLabel",
  "appliedTo",
];
const ownFields: Readonly<Record<Direction, readonly string[]>> = {
  ingress: [...known, "from"],
  egress: [...known, "to", "toServices"],
};
const everybody: Members = { ...noMembers, networks: everyAddress };
const byName: ReadonlyMap<string, Action> = new Map(actions);

/** A rule, and what its own appliedTo says beside its pods. An entry with toServices is one for each Service. */
export interface ReadRule {
  readonly rule: Rule;
  readonly appliedTo: AppliedTo | null;
}

/** What is read of a rule, before what cannot be expressed makes it stricter. */
interface Parts {
  readonly action: Action;
  readonly members: Members;
  readonly traffic: RuleTraffic;
  /** null: it concerns connections however they reach the members. */
  readonly services: readonly ServiceBackends[] | null;
}

/** `canPass`: there is something of the API behind the policy's tier. */
export function readRules(
  field: Field,
  direction: Direction,
  canPass: boolean,
  reading: Reading,
): readonly ReadRule[] | null {
  if (!field.present) return [];
  const items = field.list(0, Infinity);
  const read =
    items &&
    readAll(items, (item, index) => {
      if (!item.object()) return null;
      const parts = readParts(item, direction, reading);
      if (parts?.action === "pass" && !canPass)
        return item.at("action").error("Pass must not be in the tier baseline, which is the last one");
      return readOne(item, index, parts, reading);
    });
  return read?.flat() ?? null;
}

function readOne(
  field: Field,
  index: number,
  parts: Parts | null,
  reading: Reading,
): readonly ReadRule[] | null {
  const given = field.at("appliedTo");
  const isGiven = given.items().length > 0;
  const appliedTo = isGiven ? readAppliedTo(given, true, reading) : null;
  const logging = readRuleLogging(field, reading.severity);
  const name = field.has("name") ? field.at("name").string() : "";
  if (parts === null || logging === undefined || name === null || (isGiven && appliedTo === null))
    return null;
  const subject = appliedTo?.pods ?? null;
  const said =
    parts.services === null
      ? [{ share: null, ...closed(parts) }]
      : rulesThrough(parts.action, parts.services);
  return said.map((one) => ({ rule: { index, name, subject, logging, ...one }, appliedTo }));
}

function readParts(field: Field, direction: Direction, reading: Reading): Parts | null {
  const isStrange = reading.closeUnknown(field, ownFields[direction]);
  const action = readAction(field.at("action"), reading);
  const hasL7 = field.at("l7Protocols").items().length > 0;
  const place = { direction, isAllow: action === "allow" && !hasL7 };
  const { services, members } = readEnds(field, place, reading);
  const traffic = readTraffic(field, direction, reading);
  const isRead = !hasL7 || readL7Protocols(field, action === "allow", reading);
  if (action === null || members === null || traffic === null || !isRead) return null;
  if (!refuseMulticast(field, direction, action, traffic, members)) return null;
  if (isStrange || action === "unknown")
    return { action: action === "unknown" ? "deny" : action, members: openMembers, traffic, services: null };
  return { action: hasL7 ? "deny" : action, members, traffic, services };
}

/** Services, or members. `members`: null for an error. */
function readEnds(
  field: Field,
  place: PeerPlace,
  reading: Reading,
): Pick<Parts, "services"> & { readonly members: Members | null } {
  if (!isThrough(field, place.direction))
    return { services: null, members: readMembers(field, place, reading) };
  const services = readToServices(field, reading);
  return { services, members: services && noMembers };
}

/** Whether the rule is about connections through Services. */
function isThrough(rule: Field, direction: Direction): boolean {
  return direction === "egress" && rule.at("toServices").items().length > 0;
}

function readAction(field: Field, reading: Reading): Action | "unknown" | null {
  const text = field.string();
  if (text === null) return null;
  const action = byName.get(text);
  if (action !== undefined) return action;
  const words = [...byName.keys()].join(", ");
  reading.close(field, `must be one of ${words}, not ${field.quoted}`, "UnknownAction");
  return "unknown";
}

function readMembers(rule: Field, place: PeerPlace, reading: Reading): Members | null {
  const field = rule.at(peerFields[place.direction]);
  if (!field.present) return everybody;
  const items = field.list(0, Infinity);
  const read = items && readAll(items, (item) => readPeer(item, place, reading));
  if (read === null) return null;
  return read.length === 0 ? everybody : union(read);
}

interface Closed {
  readonly action: Action;
  readonly peers: readonly Peer[];
  readonly ports: readonly PortMatch[] | null;
}

function closed({ action, members, traffic }: Parts): Closed {
  return action === "allow" ? narrowed(members, traffic) : widened(action, members, traffic);
}

function narrowed(members: Members, { ports, groups }: RuleTraffic): Closed {
  if (ports === null) return { action: "allow", peers: peersOf(members), ports };
  const { within } = ports;
  if (within.length === 0) return { action: "allow", peers: [], ports: null };
  return { action: "allow", peers: groups?.within ?? peersOf(members), ports: within };
}

function widened(action: Action, members: Members, { ports, groups }: RuleTraffic): Closed {
  const isOpen = members.isOpen || ports?.within !== ports?.around;
  return {
    action: isOpen ? "deny" : action,
    peers: members.isOpen ? everyAddress : (groups?.around ?? peersOf(members)),
    ports: ports === null ? null : ports.around,
  };
}
