// One direction's rules, in order. A rule with parts unknown to this program becomes stricter, never wider: an allow
// then matches nothing, a deny or a pass denies (the APIs' own rule for unknown peers, used for ports too). The API
// decides the limits and the names of fields.

import type { Action, Direction, PortMatch, Rule } from "../policy/ir.ts";
import { portNamesIn } from "../policy/normal-form.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { PeerKind, PeerList, PeerTraits } from "./peers.ts";
import { readPeers } from "./peers.ts";
import type { PortList } from "./ports.ts";
import { ReadMemo } from "./read-memo.ts";
import { warnOfOthers } from "./shape.ts";

/** The API's names of actions, with ours. */
export type Actions = ReadonlyMap<string, Action>;

/** How an API writes its rules. */
export interface RuleTraits {
  readonly actions: Actions;
  /** The most rules of one direction. */
  readonly max: number;
  readonly peers: PeerTraits;
  readonly egressPeers: readonly PeerKind[];
  readonly ports: PortTraits;
}

export interface PortTraits {
  /** The field of a rule that lists them. */
  readonly field: string;
  /** What messages call one entry. */
  readonly noun: string;
  /** The field of an entry that names a container port, with its article. */
  readonly namedPort: string;
  /** Fields by which another version of the API restricts the ports: without them the rule would match every port. */
  readonly foreign: readonly string[];
  readonly read: (field: Field) => PortList | null;
}

interface Side {
  readonly peers: "from" | "to";
  readonly kinds: readonly PeerKind[];
  /** Of lists in which every peer is understood. */
  readonly memo: ReadMemo<PeerList>;
}

const ingressPeers: readonly PeerKind[] = ["namespaces", "pods"];
const maxNameLength = 100;
const none: readonly Rule[] = [];

/** Peers that have no container ports to resolve a name with (a CEL rule of the API). */
const portlessPeers = ["networks", "nodes", "domainNames"];

/** Reads the rules of one kind. What it has read before is the same object. */
export class RuleReader {
  readonly #traits: RuleTraits;
  readonly #sides: Readonly<Record<Direction, Side>>;
  readonly #lists = { ingress: new ReadMemo<readonly Rule[]>(), egress: new ReadMemo<readonly Rule[]>() };
  readonly #rules = { ingress: new ReadMemo<Rule>(), egress: new ReadMemo<Rule>() };

  constructor(traits: RuleTraits) {
    this.#traits = traits;
    this.#sides = {
      ingress: { peers: "from", kinds: ingressPeers, memo: new ReadMemo(isUnderstood) },
      egress: { peers: "to", kinds: traits.egressPeers, memo: new ReadMemo(isUnderstood) },
    };
  }

  read(field: Field, direction: Direction): readonly Rule[] | null {
    if (!field.present) return none;
    const readOne = (item: Field, index: number) =>
      readRule(item, index, this.#sides[direction], this.#traits);
    return this.#lists[direction].read(field, 0, (list) => {
      const items = list.list(0, this.#traits.max);
      return items && readAll(items, (item, index) => this.#rules[direction].read(item, index, readOne));
    });
  }
}

function readRule(field: Field, index: number, side: Side, traits: RuleTraits): Rule | null {
  if (!field.object()) return null;
  const { foreign } = traits.ports;
  for (const other of foreign.filter((one) => field.has(one)))
    field.at(other).error("is of another version of the API; without it the rule would match every port");
  warnOfOthers(field, ["name", "action", side.peers, traits.ports.field, ...foreign]);
  const name = readName(field.at("name"));
  const action = readAction(field.at("action"), traits.actions);
  const peers = side.memo.read(field.at(side.peers), 0, (list) => readPeers(list, side.kinds, traits.peers));
  const ports = traits.ports.read(field.at(traits.ports.field));
  if (action === null || peers === null || ports === null || name === null) return null;
  if (side.peers === "to") refuseNamesWithoutPods(field, ports.ports ?? [], traits.ports);
  warnOfUnknown(action, peers, ports, traits.ports);
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

function refuseNamesWithoutPods(
  field: Field,
  ports: readonly PortMatch[],
  { namedPort }: Pick<PortTraits, "namedPort">,
): void {
  if (portNamesIn(ports).length === 0) return;
  for (const peer of field.at("to").items()) {
    const portless = portlessPeers.find((name) => peer.at(name).present);
    if (portless !== undefined) peer.at(portless).error(`cannot be in one rule with ${namedPort}`);
  }
}

function warnOfUnknown(
  action: Action,
  peers: PeerList,
  ports: PortList,
  { noun }: Pick<PortTraits, "noun">,
): void {
  const found = (field: Field) => (field.names().length === 0 ? "no field" : "no field that is known here");
  const everything = action === "allow" ? "the rule matches nothing" : "the rule denies all traffic";
  for (const peer of peers.unknown) peer.warn(`the peer has ${found(peer)}, so ${everything}`, "UnknownPeer");
  const refused = action === "allow" ? [] : peers.named.map(({ field }) => field);
  for (const peer of [...peers.unsupported, ...refused])
    peer.warn(`domainNames cannot be enforced here: they are not resolved, so ${everything}`, "UnknownPeer");
  if (action === "allow")
    for (const name of peers.named.flatMap(({ others }) => others))
      name.warn(`${name.quoted} is not resolved here, so the rule does not match it`, "UnknownPeer");
  const wider = action === "allow" ? "the rule matches nothing" : "the rule denies all ports of its peers";
  for (const { unknown: port, isPart = false } of ports.unknown) {
    const has = isPart ? "a field that is not known here" : found(port);
    port.warn(`the ${noun} has ${has}, so ${wider}`, "UnknownPort");
  }
}

/** Names that no answer is learned for are a warning, as long as the rule allows. */
function isUnderstood({ unknown, unsupported, named }: PeerList): boolean {
  return unknown.length === 0 && unsupported.length === 0 && named.length === 0;
}

function strict(rule: Rule, peers: PeerList, ports: PortList): Rule {
  const isOpen =
    peers.unknown.length + peers.unsupported.length > 0 ||
    (rule.action !== "allow" && peers.named.length > 0);
  if (!isOpen && ports.unknown.length === 0) return rule;
  if (rule.action === "allow") return { ...rule, peers: [] };
  const closed = { ...rule, action: "deny", ports: null } as const;
  return isOpen ? { ...closed, peers: [{ kind: "everything" }] } : closed;
}
