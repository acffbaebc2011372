// Entries of `ingress` and `egress` → rules that allow. A rule without peers allows every peer, one without ports every
// port. Every field of a rule restricts it, so a rule with a field that is not known here allows nothing and says so.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import { ReadMemo } from "../kubernetes/read-memo.ts";
import type { Direction, Peer, Rule } from "../policy/ir.ts";
import { readPeer } from "./peers.ts";
import { readPort } from "./ports.ts";
import type { OrUnknown } from "./unknown.ts";
import { isUnknown, unknown, warnOfUnknown } from "./unknown.ts";

const peerFields: Readonly<Record<Direction, string>> = { ingress: "from", egress: "to" };
const everyPeer: readonly Peer[] = [{ kind: "everything" }];

const none: readonly Rule[] = [];

/** What was read before, in the same namespace, is the same object. */
interface Memo {
  readonly lists: ReadMemo<readonly Rule[]>;
  readonly rules: ReadMemo<Rule>;
  readonly peers: ReadMemo<OrUnknown<readonly Peer[]>>;
}

function newMemo(): Memo {
  return { lists: new ReadMemo(), rules: new ReadMemo(), peers: new ReadMemo() };
}

const memos: Readonly<Record<Direction, Memo>> = { ingress: newMemo(), egress: newMemo() };

/** `namespace`: the policy's own, for peers that name none. */
export function readRules(field: Field, direction: Direction, namespace: string): readonly Rule[] | null {
  if (!field.present) return none;
  const { lists, rules } = memos[direction];
  const readOne = (item: Field, index: number) => readRule(item, index, direction, namespace);
  const readList = (list: Field) => {
    const items = list.list(0, Infinity);
    return items && readAll(items, (item, index) => rules.read(item, index, readOne, namespace));
  };
  return lists.read(field, 0, readList, namespace);
}

function readRule(field: Field, index: number, direction: Direction, namespace: string): Rule | null {
  if (!field.object()) return null;
  const knowsAll = !warnOfUnknown(field, [peerFields[direction], "ports"], "UnknownPeer");
  const readList = (list: Field) => readEntries(list, (item) => readPeer(item, namespace));
  const peers = memos[direction].peers.read(field.at(peerFields[direction]), 0, readList, namespace);
  const ports = readEntries(field.at("ports"), readPort);
  if (peers === null || ports === null) return null;
  const rule = { index, share: null, name: "", action: "allow", subject: null, logging: null } as const;
  if (!knowsAll || isUnknown(peers) || isUnknown(ports)) return { ...rule, peers: [], ports: null };
  return { ...rule, peers: peers.length === 0 ? everyPeer : peers, ports: ports.length === 0 ? null : ports };
}

/** An absent list is an empty one, as for the API server; unknown when an entry is. */
function readEntries<T extends object>(
  field: Field,
  read: (item: Field) => OrUnknown<T> | null,
): OrUnknown<readonly T[]> | null {
  if (!field.present) return [];
  const items = field.list(0, Infinity);
  const entries = items && readAll(items, read);
  if (entries === null) return null;
  const known = entries.filter((entry) => !isUnknown(entry));
  return known.length === entries.length ? known : unknown;
}
