// One direction's rules, in order. A rule with parts unknown to this program becomes stricter, never wider: an allow
// then matches nothing, a deny or a pass denies (the API's own rule for unknown peers, used for ports too).

import type { Action, Direction, PortMatch, Rule } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { PeerKind, PeerList } from "./peers.ts";
import { readPeers } from "./peers.ts";
import type { PortList } from "../kubernetes/ports.ts";
import { ReadMemo } from "../kubernetes/read-memo.ts";
import { warnOfOthers } from "../kubernetes/shape.ts";
import { readPorts } from "./ports.ts";

/** The API's names of actions, with ours. */
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
const none: readonly Rule[] = [];

/** Peers that have no container ports to resolve a name with (a CEL rule of the API). */
const portlessPeers = ["networks", "nodes", "domainNames"];

/** Reads the rules of one kind, whose actions these are. What it has read before is the same object. */
export class RuleReader {
  readonly #actions: Actions;
  readonly #lists = { ingress: new ReadMemo<readonly Rule[]>(), egress: new ReadMemo<readonly Rule[]>() };
  readonly #rules = { ingress: new ReadMemo<Rule>(), egress: new ReadMemo<Rule>() };

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  read(field: Field, direction: Direction): readonly Rule[] | null {
    if (!field.present) return none;
    const readOne = (item: Field, index: number) => readRule(item, index, sides[direction], this.#actions);
    return this.#lists[direction].read(field, 0, (list) => {
      const items = list.list(0, maxRules);
      return items && readAll(items, (item, index) => this.#rules[direction].read(item, index, readOne));
    });
  }
}

function readRule(field: Field, index: number, side: Side, actions: Actions): Rule | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["name", "action", side.peers, "ports"]);
  const name = readName(field.at("name"));
  const action = readAction(field.at("action"), actions);
  const peers = readPeers(field.at(side.peers), side.kinds);
  const ports = readPorts(field.at("ports"));
  if (action === null || peers === null || ports === null || name === null) return null;
  if (side.peers === "to") refuseNamesWithoutPods(field, ports.ports ?? []);
  warnOfUnknown(action, peers, ports);
  const rule = { index, share: null, name, action, subject: null, logging: null };
  return strict({ ...rule, peers: peers.peers, ports: ports.ports }, peers, ports);
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
  const action = actions.get(text);
  if (action !== undefined) return action;
  const words = [...actions.keys()].join(", ");
  return field.error(`must be one of ${words}, not ${field.quoted}`, "UnknownAction");
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
