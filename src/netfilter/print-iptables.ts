// A program as chains of the filter table, rule by rule as iptables-save prints them, so that the two compare as text. A verdict is
// two bits of the packet's mark: a chain that decides sets a bit and returns, and the chain that called it looks at the bits. No rule
// accepts: a packet that nothing denies returns to FORWARD, where the rules of others still apply.

import type { IpFamily } from "../model/ip.ts";
import { splitKey } from "../model/object.ts";
import type { Direction, GroupKey, PolicyKey } from "../policy/ir.ts";
import { commentText } from "./comment.ts";
import { blockChain, chains, localSet, setName, tierChain } from "./names.ts";
import type { DenyForm } from "./options.ts";
import { matchTexts } from "./print-match.ts";
import type { Block, FilterProgram, LineVerdict, TierProgram } from "./program.ts";

export interface IptablesForm {
  readonly family: IpFamily;
  readonly deny: DenyForm;
}

export interface ChainText {
  readonly name: string;
  /** The policy whose rules are in it; null: it is of every policy. */
  readonly policy: PolicyKey | null;
  /** What follows `-A NAME `. */
  readonly rules: readonly string[];
}

/** kube-proxy uses 0x4000 and 0x8000. */
const bits = { allow: "0x1000000/0x1000000", pass: "0x2000000/0x2000000", none: "0x0/0x3000000" } as const;

/** A chain is listed before the chains that it calls. */
export function chainTexts(program: FilterProgram, form: IptablesForm): readonly ChainText[] {
  return [
    ...hooks(form.family),
    ...verdicts(form),
    ...(["egress", "ingress"] as const).flatMap((direction) =>
      side(program[direction], direction, form.family),
    ),
  ];
}

const clear = `-j MARK --set-xmark ${bits.none}`;

/** Egress is asked first: a packet that it denies ends there, and ingress is asked about what egress allows. */
function hooks(family: IpFamily): readonly ChainText[] {
  const before = [
    "-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN",
    ...(family === "v6" ? neighbourDiscovery : []),
    `-m bpf --bytecode "${isToItself[family]}" -j RETURN`,
  ];
  const egress = `-m set --match-set ${localSet(family)} src -j ${chains.egress}`;
  const ingress = `-m set --match-set ${localSet(family)} dst -j ${chains.ingress}`;
  return [
    ofAll(chains.forward, [...before, egress, ingress, clear]),
    // From a pod to its own node. What a node sends to its own pods passes neither hook, and no policy filters it.
    ofAll(chains.input, [...before, egress, clear]),
  ];
}

function ofAll(name: string, rules: readonly string[]): ChainText {
  return { name, policy: null, rules };
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

function verdicts({ family, deny }: IptablesForm): readonly ChainText[] {
  const unreachable = family === "v4" ? "icmp-port-unreachable" : "icmp6-port-unreachable";
  return [
    ofAll(chains.allow, [`-j MARK --set-xmark ${bits.allow}`]),
    ofAll(chains.pass, [`-j MARK --set-xmark ${bits.pass}`]),
    ofAll(chains.deny, [deny === "drop" ? "-j DROP" : `-g ${chains.reject}`]),
    ofAll(chains.reject, [
      "-p tcp -j REJECT --reject-with tcp-reset",
      `-j REJECT --reject-with ${unreachable}`,
    ]),
  ];
}

function side(tiers: readonly TierProgram[], direction: Direction, family: IpFamily): readonly ChainText[] {
  const calls = tiers.flatMap(({ key, name }) => [
    `${commentText(["tier", name])} -j ${tierChain(direction, key)}`,
    `-m mark --mark ${bits.allow} -j RETURN`,
    clear,
  ]);
  const names = blockNames(tiers, direction);
  return [
    ofAll(chains[direction], [clear, ...calls]),
    ...tiers.flatMap((tier) => ofTier(tier, names, direction, family)),
  ];
}

/** A policy has several blocks where rules of others come between its rules. */
function blockNames(tiers: readonly TierProgram[], direction: Direction): ReadonlyMap<Block, string> {
  const counts = new Map<PolicyKey, number>();
  const names = new Map<Block, string>();
  for (const block of tiers.flatMap(({ blocks }) => blocks)) {
    const nth = counts.get(block.policy) ?? 0;
    counts.set(block.policy, nth + 1);
    names.set(block, blockChain(direction, block.policy, nth));
  }
  return names;
}

function ofTier(
  { key, blocks, ends }: TierProgram,
  names: ReadonlyMap<Block, string>,
  direction: Direction,
  family: IpFamily,
): readonly ChainText[] {
  const called = blocks.map((block) => ({ block, name: names.get(block) ?? "" }));
  const rules = called.flatMap(({ block, name }) =>
    subjectTexts(block.subject, direction, family).flatMap((subject) => [
      `${subject} -j ${name}`,
      `-m mark ! --mark ${bits.none} -j RETURN`,
    ]),
  );
  const last = ends.flatMap(({ policy, subject }) =>
    subjectTexts(subject, direction, family).map(
      (text) => `${text} ${commentOf(policy, direction, "isolation")} -g ${chains.deny}`,
    ),
  );
  return [
    ofAll(tierChain(direction, key), [...rules, ...last]),
    ...called.map(({ block, name }) => ofBlock(block, name, direction, family)),
  ];
}

function subjectTexts(
  subject: readonly GroupKey[],
  direction: Direction,
  family: IpFamily,
): readonly string[] {
  const end = direction === "egress" ? "src" : "dst";
  return subject.map((group) => `-m set --match-set ${setName(family, { kind: "group", group })} ${end}`);
}

const targets: Readonly<Record<LineVerdict, string>> = {
  allow: chains.allow,
  pass: chains.pass,
  deny: chains.deny,
  reject: chains.reject,
};

/** By goto: the chain of a verdict returns to the tier's chain. */
function ofBlock({ policy, lines }: Block, name: string, direction: Direction, family: IpFamily): ChainText {
  const rules = lines.flatMap((line) =>
    matchTexts(line, direction, family).map((match) => {
      const comment = commentOf(policy, direction, String(line.index));
      return `${match === "" ? "" : `${match} `}${comment} -g ${targets[line.verdict]}`;
    }),
  );
  return { name, policy, rules };
}

function commentOf(policy: PolicyKey, direction: Direction, place: string): string {
  const { kind, namespace, name } = splitKey(policy);
  const named = [kind, ...(namespace === null ? [] : [namespace]), name].join("/");
  return commentText([named, direction, place]);
}
