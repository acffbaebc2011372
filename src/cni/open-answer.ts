// Answers of a network plugin as rules: what a rule does that says the answer, and whether it is open whether the rule matches.

import type { Action, Policy, Rule } from "../policy/ir.ts";
import type { Answer } from "./answers.ts";

/** A rule of which it is open whether it matches what it says, its peers too. */
export interface OpenAnswer {
  /** Of which the rule is, or from which it is made. */
  readonly policy: Policy;
  readonly rule: Rule;
  /** What it may do where it matches. */
  readonly actions: readonly Action[];
  /** A sentence without a full stop, with its source. */
  readonly text: string;
}

/** A policy, with those of its rules that are open. */
export interface OpenedPolicy {
  readonly policy: Policy;
  readonly open: readonly OpenAnswer[];
}

/** What a rule that says the answer may do; none: what the policies say. */
export function actionsOf({ outcomes }: Answer): readonly Action[] {
  return outcomes.filter((one) => one !== "policies");
}

/** Whether more than one outcome is possible. */
export function isOpen({ outcomes }: Answer): boolean {
  return outcomes.length > 1;
}
