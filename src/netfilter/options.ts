// The flags that say how a packet filter enforces what policies mean.

import { invariant } from "../lib/invariant.ts";
import type { Cidr } from "../model/ip.ts";
import { parseCidr } from "../model/ip.ts";
import type { NodeAddresses } from "../model/facts.ts";
import { nodeAddresses } from "../model/facts.ts";
import type { FlagOptions, Flags } from "../policy/contracts/flags.ts";
import { chosenOf } from "../policy/contracts/flags.ts";

/** Which of the two kernel interfaces rules are written with; both exist side by side, and the kernel asks both. */
export const flavours = ["nft", "legacy"] as const;
export type Flavour = (typeof flavours)[number];

/** What happens to a denied packet: `reject` sends its sender an error, `drop` sends nothing. */
export type DenyForm = "reject" | "drop";

/** Bits of marks that are ours; 0: none. */
export interface OwnBits {
  readonly packet: number;
  readonly connection: number;
}

/** Whether a connection that is open when a policy is edited is judged again; `keep`: it continues. */
export type EstablishedForm = "keep" | "recheck";

/** Two bits of a packet's mark, each a number with one bit set. */
export interface MarkBits {
  readonly allow: number;
  readonly pass: number;
}

/** How the filter of a node is written. */
export interface FilterForm {
  readonly deny: DenyForm;
  readonly mark: MarkBits;
  readonly established: EstablishedForm;
  /** Of NFLOG, 0 to 65535. */
  readonly logGroup: number;
}

const mostGroup = 65_535;

/** Of both tools. */
const sharedOptions = {
  deny: {
    argument: "FORM",
    help: "with --backend iptables or nftables, what happens to a denied packet: reject (its sender gets an error at once) or drop",
    choices: ["reject", "drop"],
    fallback: "reject",
  },
  established: {
    argument: "FORM",
    help: "with --backend iptables or nftables, what happens to open connections when policies are edited: keep (they continue) or recheck (they are judged again)",
    choices: ["keep", "recheck"],
    fallback: "keep",
  },
  "ip-range": {
    argument: "CIDRS",
    help: "with --backend iptables or nftables, the networks of the cluster, comma-separated: what is outside passes, whatever policies say; empty: nothing is outside",
    fault: (text) =>
      cidrsIn(text) === null ? "is not a list of networks, as 10.244.0.0/16,fd00::/48" : null,
    fallback: "",
  },
  "node-addresses": {
    argument: "FORM",
    help: "with --backend iptables or nftables, which addresses nodes have: status (those of their Node) or flannel (also the first two of their podCIDRs)",
    choices: nodeAddresses,
    fallback: "status",
  },
  "nflog-group": {
    argument: "GROUP",
    help: "with --backend iptables or nftables, the NFLOG group that logged packets are sent to, 0 to 65535",
    fault: (text) =>
      /^\d{1,5}$/.test(text) && Number(text) <= mostGroup ? null : `is not a number from 0 to ${mostGroup}`,
    fallback: "1",
  },
} as const satisfies FlagOptions;

export const nftablesOptions: FlagOptions = sharedOptions;

export const netfilterOptions = {
  ...sharedOptions,
  iptables: {
    argument: "FLAVOUR",
    help: "with --backend iptables, what rules are written with: nft, legacy, or auto (as the kubelet and kube-proxy write theirs)",
    choices: ["auto", ...flavours],
    fallback: "auto",
  },
  mark: {
    argument: "MASK",
    help: "with --backend iptables, two bits of the packet's mark that no other program on the node uses",
    fault: (text) =>
      bitsOf(text) === null ? "is not a hexadecimal number, as 0x3000000, with two bits set" : null,
    fallback: "0x3000000",
  },
} as const satisfies FlagOptions;

export function nodeAddressesOf(flags: Flags): NodeAddresses {
  return chosenOf(netfilterOptions, flags)["node-addresses"];
}

/** Of flags that were checked. */
export function insideOf(flags: Flags): readonly Cidr[] {
  return cidrsIn(chosenOf(netfilterOptions, flags)["ip-range"]) ?? [];
}

/** null: one is none. */
function cidrsIn(text: string): readonly Cidr[] | null {
  const found = text === "" ? [] : text.split(",").map(parseCidr);
  const cidrs = found.flatMap((cidr) => cidr ?? []);
  return cidrs.length === found.length ? cidrs : null;
}

/** Of flags that were checked. */
export function filterFormOf(flags: Flags): FilterForm {
  const { deny, established, mark, "nflog-group": group } = chosenOf(netfilterOptions, flags);
  const bits = bitsOf(mark);
  invariant(bits !== null, `--mark is ${mark}`);
  return { deny, established, mark: bits, logGroup: Number(group) };
}

/** null: the one that the node's own programs use. */
export function flavourChosen(flags: Flags): Flavour | null {
  const { iptables } = chosenOf(netfilterOptions, flags);
  return iptables === "auto" ? null : iptables;
}

/** null: the text is no mask of two bits. */
function bitsOf(text: string): MarkBits | null {
  if (!/^0x[0-9a-fA-F]{1,8}$/.test(text)) return null;
  const mask = Number(text);
  const [allow, pass, ...others] = Array.from({ length: 32 }, (_, at) => 2 ** at).filter(
    (bit) => Math.floor(mask / bit) % 2 === 1,
  );
  return allow === undefined || pass === undefined || others.length > 0 ? null : { allow, pass };
}
