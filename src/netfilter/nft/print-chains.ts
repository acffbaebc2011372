// A program as chains of one table of nftables for both families, rule by rule as `nft -n list` prints them. `accept` ends the side, and
// `return` in a chain of a tier ends the tier.

import { Remembered } from "../../lib/remembered.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Direction, GroupKey, PolicyKey } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { blockNames } from "../block-names.ts";
import { nftComment, prefixText } from "../comment.ts";
import { branchMap, chains, namespaceChain, setName, tierChain } from "../names.ts";
import type { FilterForm } from "../options.ts";
import type { ChainText } from "../print-hooks.ts";
import { ofAll } from "../print-hooks.ts";
import type { Block, Branch, FilterProgram, Line, LineVerdict, TierEnd, TierProgram } from "../program.ts";
import { hookChains, subjectEnd, verdictChains } from "./hooks.ts";
import { passes, withPassesApart } from "./passes.ts";
import { nftMatches } from "./print-match.ts";

/** A chain is listed before the chains that it calls. */
export function nftChains(
  program: FilterProgram,
  families: readonly IpFamily[],
  form: FilterForm,
): readonly ChainText[] {
  const apart = withPassesApart(program);
  return [
    ...hookChains(families, form),
    ...directions.toSorted().flatMap((direction) => {
      const { [direction]: tiers } = apart;
      const chainOf = blockNames(tiers, direction);
      return ofSide(tiers, { direction, families, chainOf, logGroup: form.logGroup });
    }),
    ...verdictChains(form),
  ];
}

/** One side of connections, with the chain of each block. */
interface Side {
  readonly direction: Direction;
  readonly families: readonly IpFamily[];
  readonly chainOf: (block: Block) => string;
  readonly logGroup: number;
}

function ofSide(tiers: readonly TierProgram[], side: Side): readonly ChainText[] {
  const { direction } = side;
  const calls = tiers.map(
    ({ key, name }) => `jump ${tierChain(direction, key)} ${nftComment(["tier", name])}`,
  );
  return [ofAll(chains[direction], calls), ...tiers.flatMap((tier) => ofTier(tier, side))];
}

/** Where branches are of namespaces, a map leads from a pod's address to the chain of its namespace. */
function ofTier({ key, branches }: TierProgram, side: Side): readonly ChainText[] {
  const { direction, families } = side;
  const own = tierChain(direction, key);
  const isOfNamespaces = branches.some(({ namespace }) => namespace !== null);
  const calls = families.map(
    (family) => `${subjectEnd(direction, family)} vmap @${branchMap(direction, key, family)}`,
  );
  const named = branches.map((branch) => {
    const { namespace } = branch;
    return { branch, name: namespace === null ? own : namespaceChain(direction, key, namespace) };
  });
  return [
    ...(isOfNamespaces ? [ofAll(own, calls)] : []),
    ...named.map(({ branch, name }) => ofAll(name, branchRules(branch, side))),
    ...branches.flatMap(({ blocks }) =>
      blocks.filter((block) => !passes(block)).map((block) => ofBlock(block, side)),
    ),
  ];
}

function branchRules({ blocks, ends }: Branch, side: Side): readonly string[] {
  return [
    ...blocks.flatMap((block) => callRules(block, side)),
    ...ends.flatMap((end) => endRules(end, side)),
  ];
}

/** Of blocks and ends that are printed again because others have changed. */
const knownCalls = new Remembered<Block, string, readonly string[]>();
const knownEnds = new Remembered<TierEnd, string, readonly string[]>();
const knownChains = new Remembered<Block, string, ChainText>();

function partOf({ families, logGroup }: Side, name = ""): string {
  return [name, ...families, logGroup].join(" ");
}

/** Of a block whose lines pass, the lines. */
function callRules(block: Block, side: Side): readonly string[] {
  const name = side.chainOf(block);
  return knownCalls.of(block, partOf(side, name), () =>
    passes(block)
      ? passRules(block, side)
      : subjectTexts(block.subject, side).map(({ text }) => `${text} jump ${name}`),
  );
}

function endRules(end: TierEnd, side: Side): readonly string[] {
  const { policy, subject, log } = end;
  return knownEnds.of(end, partOf(side), () =>
    subjectTexts(subject, side).flatMap(({ text }) => [
      ...logRules(text, log, side),
      `${text} goto ${chains.deny} ${ruleComment(policy, side, "isolation")}`,
    ]),
  );
}

/** In the chain of the tier, so each says the subject. */
function passRules({ policy, subject, lines }: Block, side: Side): readonly string[] {
  return subjectTexts(subject, side).flatMap(({ text, family }) =>
    lines.flatMap((line) => lineRules(line, policy, { ...side, families: [family] }, text)),
  );
}

interface SubjectText {
  readonly family: IpFamily;
  readonly text: string;
}

function subjectTexts(subject: readonly GroupKey[], { direction, families }: Side): readonly SubjectText[] {
  return subject.flatMap((group) =>
    families.map((family) => ({
      family,
      text: `${subjectEnd(direction, family)} @${setName(family, { kind: "group", group })}`,
    })),
  );
}

function ofBlock(block: Block, side: Side): ChainText {
  const { policy, lines } = block;
  const name = side.chainOf(block);
  return knownChains.of(block, partOf(side, name), () => ({
    ...{ name, policy, rules: lines.flatMap((line) => lineRules(line, policy, side, "")) },
  }));
}

const verdicts: Readonly<Record<LineVerdict, string>> = {
  allow: "accept",
  pass: "return",
  deny: `goto ${chains.deny}`,
  reject: `goto ${chains.reject}`,
};

/** `subject`: a match before the line's own. */
function lineRules(line: Line, policy: PolicyKey, side: Side, subject: string): readonly string[] {
  return nftMatches(line, side.direction, side.families).flatMap((own) => {
    const match = joined([subject, own]);
    return [
      ...logRules(match, line.log, side),
      joined([match, verdicts[line.verdict], ruleComment(policy, side, String(line.index))]),
    ];
  });
}

function ruleComment(policy: PolicyKey, { direction }: Side, place: string): string {
  return nftComment([policy, direction, place]);
}

/** Before the rule that decides: a packet that is logged goes on to it. */
function logRules(match: string, log: readonly string[] | null, { logGroup }: Side): readonly string[] {
  if (log === null) return [];
  return [joined([match, rate, `log prefix "${prefixText(log)}" group ${logGroup}`])];
}

/** Of each rule. */
const rate = "limit rate 20/second burst 100 packets";

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
