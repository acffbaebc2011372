// The shape of the answer about one policy. The page's scripts are checked against it.

import type { ListedRule } from "../../explain/overview.ts";
import type { ShownProblem } from "../../model/problem.ts";
import type { Direction } from "../../policy/ir.ts";
import type { Unknown } from "../../unknowns/unknowns.ts";
import type { Excerpt } from "../excerpt.ts";
import type { Lines } from "../object-text.ts";
import type { PolicyShown } from "../shown.ts";

export interface PolicyPageShown {
  readonly revision: string;
  readonly policy: PolicyShown;
  /** What it applies to, in words; its rules' own subjects too. */
  readonly subject: Excerpt<string>;
  /** What was found in its object. */
  readonly problems: Excerpt<ShownProblem & { readonly place: string | null }>;
  /** Those in force. */
  readonly rules: Readonly<Record<Direction, Excerpt<RuleShown>>>;
  /** Whether what no rule of its tier allows is denied to its pods. */
  readonly isolates: Readonly<Record<Direction, boolean>>;
  /** As it was read; null: its kind is not read. */
  readonly object: ObjectShown | null;
  /** From one place on, by their names; null: it is not known. */
  readonly pods: (Excerpt<string> & { readonly offset: number }) | null;
  /** Those that stand for pods which are not there. */
  readonly workloads: Excerpt<{ readonly end: string; readonly title: string }>;
  /** Of its pods. */
  readonly namespaces: Excerpt<{ readonly name: string; readonly pods: number }>;
}

export interface RuleShown extends ListedRule {
  /** In the object; null: the object is of another version, or does not have it. */
  readonly lines: Lines | null;
  /** How many packets met it, or why that is not known, in words; null: nothing is counted here. */
  readonly met: string | null;
  /** Why it is open whether the rule matches; null: it is not. */
  readonly unknown: Unknown["code"] | null;
}

/** Lines of YAML. */
export type ObjectShown = Excerpt<string>;
