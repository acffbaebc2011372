// One direction's rules, in order. What a rule says beyond this program's knowledge makes it stricter, never wider: an
// allow then matches nothing, a deny or a pass denies (the API's own rule for unknown peers, used for ports too).

import type { Action, Direction, PortMatch, Rule } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Earlier } from "./earlier.ts";
import { unchanged } from "./earlier.ts";
import type { PeerKind, PeerList } from "./peers.ts";
import { readPeers } from "./peers.ts";
import type { PortList } from "./ports.ts";
import { readPorts } from "./ports.ts";
import { warnOfOthers } from "./shape.ts";

/** The API's words for actions, with ours. */
export type Actions = ReadonlyMap<string, Action>;

interface Side {
  readonly peers: "from" | "to";
  readonly kinds: readonly PeerKind[];
}

const sides: Readonly<Record<Direction, Side>> = {
  ingress: { peers: "from", kinds: ["namespaces", "pods"] },
  egress: { peers: "to", kinds: ["namespaces", "pods", "nodes", "networks"] },
};

const maxRules = 100;
const maxNameLength = 100;
/** Peers that have no container ports to resolve a name with (a CEL rule of the API). */
const portlessPeers = ["networks", "nodes", "domainNames"];

export function readRules(
  field: Field,
  direction: Direction,
  actions: Actions,
  earlier: Earlier<readonly Rule[]> | null,
): readonly Rule[] | null {
  if (!field.present) return [];
  const items = field.list(0, maxRules);
  const itemsBefore = earlier?.field.items() ?? [];
  const side = sides[direction];
  const read = (item: Field, index: number): Rule | null => {
    const before = ruleBefore(itemsBefore[index], earlier?.compiled[index]);
    return unchanged(item, before) ?? readRule(item, index, side, actions, before);
  };
  return items && readAll(items, read);
}

function ruleBefore(field: Field | undefined, compiled: Rule | undefined): Earlier<Rule> | null {
  return field === undefined || compiled === undefined ? null : { field, compiled };
}

function readRule(
  field: Field,
  index: number,
  side: Side,
  actions: Actions,
  earlier: Earlier<Rule> | null,
): Rule | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["name", "action", side.peers, "ports"]);
  const name = readName(field.at("name"));
  const action = readAction(field.at("action"), actions);
  const peers = peersBefore(field, side, earlier) ?? readPeers(field.at(side.peers), side.kinds);
  const ports = readPorts(field.at("ports"));
  if (action === null || peers === null || ports === null || name === null) return null;
  if (side.peers === "to") refuseNamesWithoutPods(field, ports.ports ?? []);
  warnOfUnknown(action, peers, ports);
  const rule = { index, share: null, name, action, subject: null, logging: null };
  return strict({ ...rule, peers: peers.peers, ports: ports.ports }, peers, ports);
}

/** What was found in the rule may have changed its peers, wherever in it that was. */
function peersBefore(rule: Field, { peers }: Side, earlier: Earlier<Rule> | null): PeerList | null {
  if (earlier?.field.isClean !== true) return null;
  const kept = { peers: earlier.compiled.peers, unknown: [] };
  return unchanged(rule.at(peers), { field: earlier.field.at(peers), compiled: kept });
}

function readName(field: Field): string | null {
  if (!field.present) return "";
  const name = field.string();
  if (name === null || lengthOf(name) <= maxNameLength) return name;
  return field.error(`must have at most ${maxNameLength} characters`);
}

/** In code points, as the API server counts. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function readAction(field: Field, actions: Actions): Action | null {
  const text = field.string();
  if (text === null) return null;
  const words = [...actions.keys()].join(", ");
  return actions.get(text) ?? field.error(`must be one of ${words}, not ${field.quoted}`, "UnknownAction");
}

function refuseNamesWithoutPods(field: Field, ports: readonly PortMatch[]): void {
  if (!ports.some((port) => port.kind === "named")) return;
  for (const peer of field.at("to").items()) {
    const portless = portlessPeers.find((name) => peer.at(name).present);
    if (portless !== undefined) peer.at(portless).error("cannot be in one rule with a namedPort");
  }
}

function warnOfUnknown(action: Action, peers: PeerList, ports: PortList): void {
  const found = (field: Field) => (field.names().length === 0 ? "no field" : "no field that is known here");
  const everything = action === "allow" ? "the rule matches nothing" : "the rule denies all traffic";
  for (const peer of peers.unknown) peer.warn(`the peer has ${found(peer)}, so ${everything}`, "UnknownPeer");
  const wider = action === "allow" ? "the rule matches nothing" : "the rule denies all ports of its peers";
  for (const port of ports.unknown) port.warn(`the port has ${found(port)}, so ${wider}`, "UnknownPort");
}

function strict(rule: Rule, peers: PeerList, ports: PortList): Rule {
  if (peers.unknown.length === 0 && ports.unknown.length === 0) return rule;
  if (rule.action === "allow") return { ...rule, peers: [] };
  const closed = { ...rule, action: "deny", ports: null } as const;
  return peers.unknown.length === 0 ? closed : { ...closed, peers: [{ kind: "everything" }] };
}
