// Names of chains (at most 28 bytes) and of sets (at most 31 bytes): a prefix, and 80 bits of a hash of what the name stands for.
// They contain no text of a user.

import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { IpFamily } from "../model/ip.ts";
import type { Direction, PolicyKey } from "../policy/ir.ts";
import type { TierKey } from "../policy/order.ts";
import type { SetRef } from "./program.ts";
import { setText } from "./program.ts";

/** Every chain of ours begins with it, and no other chain does. */
export const chainPrefix = "NG-";

const letters: Readonly<Record<Direction, string>> = { egress: "E", ingress: "I" };

/** The chains that a node always has. */
export const chains = {
  forward: `${chainPrefix}FORWARD`,
  input: `${chainPrefix}INPUT`,
  egress: `${chainPrefix}EGRESS`,
  ingress: `${chainPrefix}INGRESS`,
  allow: `${chainPrefix}ALLOW`,
  pass: `${chainPrefix}PASS`,
  deny: `${chainPrefix}DENY`,
  reject: `${chainPrefix}REJECT`,
} as const;

export function tierChain(direction: Direction, tier: TierKey): string {
  return `${chainPrefix}${letters[direction]}T-${hashed(tier)}`;
}

/** Of one namespace's policies in the tier. */
export function branchChain(direction: Direction, tier: TierKey, namespace: string): string {
  return `${chainPrefix}${letters[direction]}N-${hashed(`${tier}\n${namespace}`)}`;
}

/** For nftables, whose names may be longer: it begins with the name of the tier's chain. */
export function namespaceChain(direction: Direction, tier: TierKey, namespace: string): string {
  return `${tierChain(direction, tier)}-${hashed(namespace)}`;
}

/** `nth`: of the policy's blocks on this side, from 0. */
export function blockChain(direction: Direction, policy: PolicyKey, nth: number): string {
  return `${chainPrefix}${letters[direction]}P-${hashed(nth === 0 ? policy : `${policy}\n${nth}`)}`;
}

/** Chains that others call, by what they are. */
export const patterns = {
  tier: new RegExp(`^${chainPrefix}[EI]T-`),
  namespace: new RegExp(`^${chainPrefix}[EI]N-`),
  block: new RegExp(`^${chainPrefix}[EI]P-`),
} as const;

/** Every set of ours of the family begins with it, and no other set does. */
const families: Readonly<Record<IpFamily, string>> = { v4: "ng4-", v6: "ng6-" };

export function setPrefix(family: IpFamily): string {
  return families[family];
}

export function setName(family: IpFamily, set: SetRef): string {
  return `${families[family]}${setLetters[set.kind]}-${hashed(setText(set))}`;
}

const setLetters: Readonly<Record<SetRef["kind"], string>> = { group: "g", port: "p", namespace: "n" };

/** The addresses of this node's pods. */
export function localSet(family: IpFamily): string {
  return `${families[family]}local`;
}

/** Each address of the local set with itself, for nftables: no rule of it compares two addresses of a packet. */
export function selfSet(family: IpFamily): string {
  return `${families[family]}self`;
}

/** For nftables: from an address to the chain of its namespace. */
export function branchMap(direction: Direction, tier: TierKey, family: IpFamily): string {
  return `${families[family]}${letters[direction].toLowerCase()}-${hashed(tier)}`;
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const length = 16;

/** Most names are asked for again with every commit. Made at the first name: it takes 7 ms and 3 MB, also in programs without this backend. */
let known: LRUCache<string, string> | null = null;

function hashed(text: string): string {
  known ??= new LRUCache({ max: 100_000 });
  const before = known.get(text);
  if (before !== undefined) return before;
  const hash = hashOf(text);
  known.set(text, hash);
  return hash;
}

/** Base32 (RFC 4648) of the first 80 bits of the text's SHA-256. */
function hashOf(text: string): string {
  const digest = createHash("sha256").update(text).digest();
  const bits = [...digest.subarray(0, (length * 5) / 8)]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  return Array.from({ length }, (_, at) => alphabet[Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2)]).join(
    "",
  );
}
