// The comment of a rule, and the prefix of what it logs, for people. No other part of a rule contains text of a user, so both are
// limited to letters, digits and the signs `_ . / -`; every other character is replaced by `?`. A comment also says whose rule it is
// to a program that is started again.

import type { Direction, PolicyKey } from "../policy/ir.ts";

/** iptables cuts longer comments and reports nothing. */
const longest = 255;

/** NFLOG cuts longer prefixes. */
const longestPrefix = 63;

/** An option of a rule. The first word is shortened where all words together are too long. */
export function commentText(words: readonly string[]): string {
  return `-m comment --comment "${shortened(words, longest)}"`;
}

/** nftables refuses longer comments. */
const longestOfNft = 128;

/** As `commentText`, at the end of a rule of nftables. */
export function nftComment(words: readonly string[]): string {
  return `comment "${shortened(words, longestOfNft)}"`;
}

/** `place`: the rule's index, or what it is. */
export function ruleComment(policy: PolicyKey, direction: Direction, place: string): string {
  return commentText([policyWord(policy), direction, place]);
}

/** KIND.GROUP/NAMESPACE/NAME, or KIND.GROUP/NAME: the first word of its rules' comments, unless it is too long for one. */
export function policyWord(policy: PolicyKey): string {
  return safe(policy);
}

/** Whose rule it is. */
export interface RuleOwner {
  /** As `policyWord` gives it, or the beginning of it. */
  readonly word: string;
  readonly isCut: boolean;
}

/** Of iptables or nftables; null: the rule is of no policy. */
export function ownerOfRule(rule: string): RuleOwner | null {
  const [, option, text = "", word = ""] = /(--)?comment "((\S+) (?:egress|ingress) \S+)"/.exec(rule) ?? [];
  return word === ""
    ? null
    : { word, isCut: text.length === (option === undefined ? longestOfNft : longest) };
}

/** What a logged packet is named by. The second word is shortened where all words together are too long. */
export function prefixText([kind = "", ...words]: readonly string[]): string {
  const start = `${safe(kind)} `;
  return `${start}${shortened(words, longestPrefix - start.length)}`;
}

function shortened([first = "", ...others]: readonly string[], most: number): string {
  const rest = others
    .map((word) => ` ${safe(word)}`)
    .join("")
    .slice(0, most);
  return `${safe(first).slice(0, most - rest.length)}${rest}`;
}

function safe(text: string): string {
  return text.replaceAll(/[^\w./-]/g, "?");
}
