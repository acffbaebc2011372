// The chains that every node's table has: those of the hooks, which ask one side each, and the verdicts. An `accept` ends one chain of a
// hook, and the next one is still asked: ingress, and the chains of others. A denied packet ends.

import type { IpFamily } from "../../model/ip.ts";
import type { Direction } from "../../policy/ir.ts";
import { chains, localSet, selfSet } from "../names.ts";
import type { FilterForm } from "../options.ts";
import type { ChainText } from "../print-hooks.ts";
import { ofAll } from "../print-hooks.ts";
import { markRules, openRules } from "./established.ts";
import { headers } from "./print-match.ts";

interface Hook {
  readonly name: string;
  /** null: it marks what both sides let pass. */
  readonly side: Direction | null;
  /** As `nft -n list` prints it. */
  readonly text: string;
}

/** What a node sends to its own pods passes none of them. */
const hooks: readonly Hook[] = [
  { name: `${chains.forward}-EGRESS`, side: "egress", text: hookText("forward", 0) },
  { name: `${chains.forward}-INGRESS`, side: "ingress", text: hookText("forward", 1) },
  { name: `${chains.forward}-MARK`, side: null, text: hookText("forward", 2) },
  { name: chains.input, side: "egress", text: hookText("input", 0) },
  { name: `${chains.input}-MARK`, side: null, text: hookText("input", 1) },
];

function hookText(hook: string, priority: number): string {
  return `type filter hook ${hook} priority ${priority}; policy accept;`;
}

/** null: other chains call it. */
export function hookOf(chain: string): string | null {
  return hooks.find(({ name }) => name === chain)?.text ?? null;
}

const ends: Readonly<Record<Direction, string>> = { egress: "saddr", ingress: "daddr" };

/** The subject's address. */
export function subjectEnd(direction: Direction, family: IpFamily): string {
  return `${headers[family]} ${ends[direction]}`;
}

/** `number`: of the policies, where open connections follow them. */
export function hookChains(
  families: readonly IpFamily[],
  { established }: FilterForm,
  number = 1,
): readonly ChainText[] {
  const before = [
    ...openRules(established, number),
    // Neighbour discovery: without it an isolated pod has no neighbours (RFC 4861).
    ...(families.includes("v6") ? ["icmpv6 type { 133, 134, 135, 136, 137 } accept"] : []),
    // A pod that reaches itself through a Service.
    ...families.map(
      (family) => `${headers[family]} saddr . ${headers[family]} daddr @${selfSet(family)} accept`,
    ),
  ];
  return hooks.flatMap(({ name, side }) => {
    if (side === null) return established === "keep" ? [] : [ofAll(name, markRules(number))];
    const calls = families.map(
      (family) => `${subjectEnd(side, family)} @${localSet(family)} jump ${chains[side]}`,
    );
    return [ofAll(name, [...before, ...calls])];
  });
}

export function verdictChains({ deny }: FilterForm): readonly ChainText[] {
  return [
    ofAll(chains.deny, [deny === "drop" ? "drop" : `goto ${chains.reject}`]),
    // The second one is `reject with icmpx port-unreachable`, the form that nft does not print.
    ofAll(chains.reject, ["meta l4proto 6 reject with tcp reset", "reject"]),
  ];
}
