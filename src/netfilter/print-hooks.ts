// The chains that every node has: the hooks, which ask the two sides, and the verdicts. A verdict is a bit of the packet's mark. No rule
// accepts: a packet that nothing denies returns to FORWARD, where the rules of others still apply.

import type { IpFamily } from "../model/ip.ts";
import type { PolicyKey } from "../policy/ir.ts";
import { keeping, rechecking } from "./established.ts";
import { chains, localSet } from "./names.ts";
import type { FilterForm } from "./options.ts";

export interface ChainText {
  readonly name: string;
  /** The policy whose rules are in it; null: it is of every policy. */
  readonly policy: PolicyKey | null;
  /** What follows `-A NAME `. */
  readonly rules: readonly string[];
}

/** VALUE/MASK, as iptables takes them. */
export interface Marks {
  readonly allow: string;
  readonly pass: string;
  readonly none: string;
}

export function marksOf({ mark: { allow, pass } }: FilterForm): Marks {
  const hex = (value: number) => `0x${value.toString(16)}`;
  return {
    allow: `${hex(allow)}/${hex(allow)}`,
    pass: `${hex(pass)}/${hex(pass)}`,
    none: `0x0/${hex(allow + pass)}`,
  };
}

export function markWith(mark: string): string {
  return `-j MARK --set-xmark ${mark}`;
}

export function ofAll(name: string, rules: readonly string[]): ChainText {
  return { name, policy: null, rules };
}

/**
 * Egress is asked first: a packet that it denies ends there, and ingress is asked about what egress allows. `number`: of the policies,
 * where open connections follow them.
 */
export function hookChains(
  family: IpFamily,
  { established }: FilterForm,
  { none }: Marks,
  number = 1,
): readonly ChainText[] {
  const clear = markWith(none);
  const open = established === "keep" ? keeping : rechecking(number);
  const before = [
    ...open.first,
    ...(family === "v6" ? neighbourDiscovery : []),
    `-m bpf --bytecode "${isToItself[family]}" -j RETURN`,
  ];
  const egress = `-m set --match-set ${localSet(family)} src -j ${chains.egress}`;
  const ingress = `-m set --match-set ${localSet(family)} dst -j ${chains.ingress}`;
  return [
    ofAll(chains.forward, [...before, egress, ingress, clear, ...open.last]),
    // From a pod to its own node. What a node sends to its own pods passes neither hook, and no policy filters it.
    ofAll(chains.input, [...before, egress, clear, ...open.last]),
  ];
}

/** Without it an isolated pod has no neighbours (RFC 4861). */
const neighbourDiscovery = [133, 134, 135, 136, 137].map(
  (type) => `-p ipv6-icmp -m icmp6 --icmpv6-type ${type} -j RETURN`,
);

/** Classic BPF: 1 where the packet's source is its destination, as of a pod that reaches itself through a Service. */
const isToItself: Readonly<Record<IpFamily, string>> = {
  v4: "6,32 0 0 12,7 0 0 0,32 0 0 16,29 0 1 0,6 0 0 1,6 0 0 0",
  v6: [
    "18",
    ...[0, 1, 2, 3].flatMap((word) => [
      `32 0 0 ${8 + 4 * word}`,
      "7 0 0 0",
      `32 0 0 ${24 + 4 * word}`,
      `29 0 ${13 - 4 * word} 0`,
    ]),
    "6 0 0 1",
    "6 0 0 0",
  ].join(","),
};

export function verdictChains(
  family: IpFamily,
  { deny }: FilterForm,
  { allow, pass }: Marks,
): readonly ChainText[] {
  const unreachable = family === "v4" ? "icmp-port-unreachable" : "icmp6-port-unreachable";
  return [
    ofAll(chains.allow, [markWith(allow)]),
    ofAll(chains.pass, [markWith(pass)]),
    ofAll(chains.deny, [deny === "drop" ? "-j DROP" : `-g ${chains.reject}`]),
    ofAll(chains.reject, [
      "-p tcp -j REJECT --reject-with tcp-reset",
      `-j REJECT --reject-with ${unreachable}`,
    ]),
  ];
}
