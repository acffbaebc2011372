// A program as chains of the filter table, rule by rule as iptables-save prints them, so that the two compare as text. A chain that
// decides sets a bit of the packet's mark and returns, and the chain that called it looks at the bits.

import { Remembered } from "../lib/remembered.ts";
import type { IpFamily } from "../model/ip.ts";
import type { Direction, GroupKey, PolicyKey } from "../policy/ir.ts";
import { blockNames } from "./block-names.ts";
import { commentText, prefixText, ruleComment } from "./comment.ts";
import { branchChain, chains, setName, tierChain } from "./names.ts";
import type { FilterForm } from "./options.ts";
import type { ChainText, Marks } from "./print-hooks.ts";
import { hookChains, markWith, marksOf, ofAll, verdictChains } from "./print-hooks.ts";
import { matchTexts } from "./print-match.ts";
import type { Block, Branch, FilterProgram, Line, LineVerdict, TierEnd, TierProgram } from "./program.ts";

/** A chain is listed before the chains that it calls. */
export function chainTexts(program: FilterProgram, family: IpFamily, form: FilterForm): readonly ChainText[] {
  const marks = marksOf(form);
  return [
    ...hookChains(family, form, marks),
    ...verdictChains(family, form, marks),
    ...(["egress", "ingress"] as const).flatMap((direction) => {
      const { [direction]: tiers } = program;
      const chainOf = blockNames(tiers, direction);
      return ofSide(tiers, { direction, family, chainOf, marks, logGroup: form.logGroup });
    }),
  ];
}

/** One side of connections in one family, with the chain of each block. */
interface Side {
  readonly direction: Direction;
  readonly family: IpFamily;
  readonly chainOf: (block: Block) => string;
  readonly marks: Marks;
  readonly logGroup: number;
}

function ofSide(tiers: readonly TierProgram[], side: Side): readonly ChainText[] {
  const { direction, marks } = side;
  const clear = markWith(marks.none);
  const calls = tiers.flatMap(({ key, name }) => [
    `${commentText(["tier", name])} -j ${tierChain(direction, key)}`,
    `-m mark --mark ${marks.allow} -j RETURN`,
    clear,
  ]);
  return [ofAll(chains[direction], [clear, ...calls]), ...tiers.flatMap((tier) => ofTier(tier, side))];
}

/** Where branches are of namespaces, each is a chain. By goto: it returns to the side's chain. */
function ofTier(tier: TierProgram, side: Side): readonly ChainText[] {
  const { direction, family } = side;
  const own = tierChain(direction, tier.key);
  const end = ends[direction];
  const branches = tier.branches.map((branch) => {
    const { namespace } = branch;
    if (namespace === null) return { branch, name: own, calls: [] };
    const set = setName(family, { kind: "namespace", namespace });
    const name = branchChain(direction, tier.key, namespace);
    const calls = [`-m set --match-set ${set} ${end} ${commentText(["namespace", namespace])} -g ${name}`];
    return { branch, name, calls };
  });
  const calls = branches.flatMap((branch) => branch.calls);
  return [
    ...(calls.length === 0 ? [] : [ofAll(own, calls)]),
    ...branches.map(({ branch, name }) => ofAll(name, branchRules(branch, side))),
    ...tier.branches.flatMap(({ blocks }) => blocks.map((block) => ofBlock(block, side))),
  ];
}

function branchRules({ blocks, ends: own }: Branch, side: Side): readonly string[] {
  return [...blocks.flatMap((block) => callRules(block, side)), ...own.flatMap((end) => endRules(end, side))];
}

/** Of blocks and ends that are printed again because others have changed. */
const knownCalls = new Remembered<Block, string, readonly string[]>();
const knownEnds = new Remembered<TierEnd, string, readonly string[]>();

function callRules(block: Block, side: Side): readonly string[] {
  const { family, marks } = side;
  const name = side.chainOf(block);
  return knownCalls.of(block, `${name} ${family} ${marks.none}`, () =>
    subjectTexts(block.subject, side).flatMap((subject) => [
      `${subject} -j ${name}`,
      `-m mark ! --mark ${marks.none} -j RETURN`,
    ]),
  );
}

function endRules(end: TierEnd, side: Side): readonly string[] {
  const { policy, subject, log } = end;
  const { direction, family, logGroup } = side;
  return knownEnds.of(end, `${family} ${logGroup}`, () =>
    subjectTexts(subject, side).flatMap((text) => [
      ...logRules(text, log, side),
      `${text} ${ruleComment(policy, direction, "isolation")} -g ${chains.deny}`,
    ]),
  );
}

/** The subject's end. */
const ends: Readonly<Record<Direction, string>> = { egress: "src", ingress: "dst" };

function subjectTexts(subject: readonly GroupKey[], { direction, family }: Side): readonly string[] {
  return subject.map(
    (group) => `-m set --match-set ${setName(family, { kind: "group", group })} ${ends[direction]}`,
  );
}

const targets: Readonly<Record<LineVerdict, string>> = {
  allow: chains.allow,
  pass: chains.pass,
  deny: chains.deny,
  reject: chains.reject,
};

/** Of blocks that are printed again because others have changed. */
const knownChains = new Remembered<Block, string, ChainText>();

/** By goto: the chain of a verdict returns to the tier's chain. */
function ofBlock(block: Block, side: Side): ChainText {
  const { policy, lines } = block;
  const name = side.chainOf(block);
  return knownChains.of(block, `${name} ${side.family} ${side.logGroup}`, () => ({
    ...{ name, policy, rules: lines.flatMap((line) => lineTexts(line, policy, side)) },
  }));
}

/** By family and NFLOG group. A line is of one policy and one direction. */
const knownTexts = new Remembered<Line, string, readonly string[]>();

function lineTexts(line: Line, policy: PolicyKey, side: Side): readonly string[] {
  const { family, logGroup } = side;
  return knownTexts.of(line, `${family} ${logGroup}`, () => newLineTexts(line, policy, side));
}

function newLineTexts(line: Line, policy: PolicyKey, side: Side): readonly string[] {
  const { direction, family } = side;
  return matchTexts(line, direction, family).flatMap((match) => {
    const comment = ruleComment(policy, direction, String(line.index));
    return [...logRules(match, line.log, side), joined([match, comment, `-g ${targets[line.verdict]}`])];
  });
}

/** Before the rule that decides: a packet that is logged goes on to it. */
function logRules(match: string, log: readonly string[] | null, { logGroup }: Side): readonly string[] {
  if (log === null) return [];
  const group = logGroup === 0 ? "" : `--nflog-group ${logGroup}`;
  return [joined([match, rate, `-j NFLOG --nflog-prefix "${prefixText(log)}"`, group])];
}

/** Of each rule. */
const rate = "-m limit --limit 20/sec --limit-burst 100";

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
