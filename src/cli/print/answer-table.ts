// Answers of explain for people: a tree for one connection, a line each for many. Only texts; users' text goes through
// model/quote.ts. Colours are the caller's choice.

import { styleText } from "node:util";
import { aligned } from "../../lib/aligned.ts";
import { folded } from "../../lib/folded.ts";
import { printable, quote } from "../../model/quote.ts";
import type { Ref, RuleRef } from "../../analysis/ref.ts";
import { refTextAmong } from "../../analysis/ref.ts";
import type { Answer, AnsweredEnd, AnsweredVerdict, RuleStep, Side } from "../../explain/answer.ts";
import { endName } from "../../explain/many/end-name.ts";
import { hitsText } from "../../hits/hits.ts";
import { passRemark, remarkOf } from "../../explain/remarks.ts";
import { tierOfSide, tierText } from "../../explain/tiers.ts";
import type { Direction } from "../../policy/ir.ts";

/** How the answers are shown. */
export interface AnswerTableOptions {
  /** For a terminal that shows colours. */
  readonly colours: boolean;
  /** The place of a policy in the order of evaluation. */
  readonly rankOf: (policy: Ref) => number;
  /** Of lines; absent or null: as wide as they are. */
  readonly width?: number | null;
}

const noteIndent = "  note      ".length;
const sides = { egress: "source", ingress: "destination" } as const;
export const words: Readonly<Record<AnsweredVerdict, string>> = {
  allow: "allowed",
  deny: "denied",
  unknown: "cannot tell",
};
const colours = { allow: "green", deny: "red", unknown: "yellow" } as const;

export function formatAnswer(answer: Answer, telling: AnswerTableOptions): string {
  const { verdict, from, to, egress, ingress, caveats, backends = [] } = answer;
  const said = painted(verdict.toUpperCase(), verdict, telling);
  const { width = null } = telling;
  const ends = `${endText(from)} → ${endText(to)}  ${trafficText(answer)}`;
  // What is painted has characters that take no room.
  const [first = "", ...more] = folded(`${verdict}  ${ends}`, width, verdict.length + 2);
  return [
    `${said}${first.slice(verdict.length)}`,
    ...more,
    "",
    ...sideLines("egress", egress, telling),
    ...sideLines("ingress", ingress, telling),
    ...backends.flatMap((one) => {
      const text = `  backend   ${printable(one.to)} port ${one.port}: ${words[one.verdict]}`;
      return folded(text, width, noteIndent);
    }),
    ...caveats.flatMap(({ code, text }) => {
      const note = `  note      ${code}: ${printable(text, 1000)}`;
      return folded(note, width, noteIndent);
    }),
    ...folded("  evaluated as a new connection; replies are allowed with it", width, 2),
    "",
  ].join("\n");
}

export function trafficText({ protocol, port }: Pick<Answer, "protocol" | "port">): string {
  return port === null ? protocol : `${protocol} ${port}`;
}

export function painted(
  text: string,
  verdict: AnsweredVerdict,
  telling: Pick<AnswerTableOptions, "colours">,
): string {
  return telling.colours ? styleText(["bold", colours[verdict]], text, { validateStream: false }) : text;
}

function endText(end: AnsweredEnd): string {
  const [name, { ip }] = [printable(endName(end)), end];
  return ip === null || ip === name ? name : `${name} ${ip}`;
}

function sideLines(direction: Direction, side: Side | null, telling: AnswerTableOptions): readonly string[] {
  if (side === null) return [];
  const head = `${direction} (${sides[direction]}): ${painted(words[side.verdict], side.verdict, telling)}`;
  const lines = linesOf(side).toSorted(
    (a, b) => telling.rankOf(a.step.policy) - telling.rankOf(b.step.policy) || indexOf(a) - indexOf(b),
  );
  const { near: nearly = [] } = side;
  const { width = null } = telling;
  const titleOf = titles([...lines.map(({ step }) => step), ...nearly]);
  return [
    head,
    ...plainLines(side),
    ...table(lines, titleOf, width),
    ...hitLines(side, width),
    ...nearly.flatMap((near) => {
      const rule = near.rule === null ? "" : ` ${ruleText(near.rule)}`;
      const text = `  nearly    ${titleOf(near)}${rule}: wants ${printable(near.wanted)}, has ${printable(near.has)}`;
      return folded(text, width, noteIndent);
    }),
  ];
}

/** Of what decides. */
function hitLines({ hits, rule }: Side, width: number | null): readonly string[] {
  if (hits === undefined) return [];
  const what = rule === undefined ? "isolation" : `${rule.direction}[${rule.index}]`;
  return folded(`  hits      ${what}: ${printable(hitsText(hits))}`, width, noteIndent);
}

type TitleOf = (step: RuleStep) => string;

/** Policies by name and priority; by kind, too, where a tier has several kinds here, or no user wrote the policy. */
function titles(steps: readonly RuleStep[]): TitleOf {
  const kinds = Map.groupBy(steps, tierText);
  const nameOf = refTextAmong(steps.map(({ policy }) => policy));
  const isMixed = (step: RuleStep) =>
    step.policy.group === "" ||
    new Set(kinds.get(tierText(step))?.map(({ policy }) => `${policy.kind}.${policy.group}`)).size > 1;
  return (step) => {
    const { policy, priority } = step;
    const name = policy.namespace === null ? policy.name : `${policy.namespace}/${policy.name}`;
    const full = printable(isMixed(step) ? nameOf(policy) : name);
    return priority === null ? full : `${full} (${priority})`;
  };
}

interface Line {
  readonly step: RuleStep;
  readonly remark: string;
  /** Its place is not shown: a user does not look at it first. */
  readonly isLost?: true;
}

function indexOf({ step }: Line): number {
  return step.rule?.index ?? Infinity;
}

function linesOf(side: Side): readonly Line[] {
  const { by, rule, policy, steps, tied = [], lost = [], policies = [] } = side;
  const lines: Line[] = steps.map((step) => ({ step, remark: passRemark(step) }));
  const tier = tierOfSide(side);
  if (by === "rule" && policy !== undefined && rule !== undefined)
    lines.push({ step: { ...tier, policy, priority: side.priority ?? null, rule }, remark: "◀ decides" });
  for (const [at, one] of policies.entries()) {
    const remark = `isolates the pod, and no rule of this tier matches${at === 0 ? "  ◀ decides" : ""}`;
    lines.push({ step: { ...tier, policy: one, priority: null, rule: null }, remark });
  }
  for (const step of tied) lines.push({ step, remark: "◀ ties: which of these decides is open" });
  for (const one of lost) lines.push({ step: one, remark: remarkOf(one, side), isLost: true });
  return lines;
}

function plainLines({ by }: Side): readonly string[] {
  if (by === "exempt") return ["  policies do not apply to this end"];
  return by === "default" ? ["  no policy decides: allowed by default"] : [];
}

function table(lines: readonly Line[], titleOf: TitleOf, width: number | null): readonly string[] {
  const cells = lines.map(({ step, remark, isLost }, at) => {
    const tier = tierText(step);
    const before = lines[at - 1]?.step;
    const isSame = before !== undefined && tierText(before) === tier;
    return [
      (isSame ? "" : printable(tier)).padEnd("admin   ".length),
      titleOf(step),
      ...ruleCells(step.rule),
      [remark, placeOf(step, isLost === true)].filter((text) => text !== "").join("  "),
    ];
  });
  return aligned(cells, width === null ? null : width - 2).map((line) => `  ${line}`);
}

function placeOf({ rule }: RuleStep, isLost: boolean): string {
  return isLost ? "" : printable(rule?.place ?? "");
}

function ruleCells(rule: RuleRef | null): readonly [string, string] {
  if (rule === null) return ["", ""];
  return [ruleText(rule), rule.word];
}

export function ruleText({ direction, index, name }: RuleRef): string {
  return name === "" ? `${direction}[${index}]` : `${direction}[${index}] ${quote(name)}`;
}
