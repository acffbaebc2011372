// The annotation by which a policy suppresses findings about itself, each with its reason:
// `northgate/lint-ignore: "NG001@egress[2]: why; NG004: why"`. Read strictly: an entry that is not understood suppresses
// nothing and is a finding. A reason holds no semicolon.

import type { Direction } from "../policy/ir.ts";
import type { Target } from "./draft.ts";

export const annotation = "northgate/lint-ignore";

export interface Suppression {
  readonly id: string;
  /** null: whatever the finding is about. */
  readonly rule: { readonly direction: Direction; readonly index: number } | null;
  readonly reason: string;
  /** As it was written. */
  readonly text: string;
}

export interface Suppressions {
  readonly entries: readonly Suppression[];
  /** Entries that are not understood: the text, and what is wrong with it. */
  readonly faults: readonly { readonly text: string; readonly message: string }[];
}

const entryForm = /^(NG\d{3})(?:@(ingress|egress)\[(\d{1,4})\])?\s*:\s*(\S.*)$/s;

/** `known`: the ids of the catalogue. `text`: null: the policy has no annotation. */
export function readSuppressions(text: string | null, known: ReadonlySet<string>): Suppressions {
  const entries: Suppression[] = [];
  const faults: { text: string; message: string }[] = [];
  for (const part of partsOf(text ?? "")) {
    const [, id, direction, index, reason = ""] = entryForm.exec(part) ?? [];
    if (id === undefined)
      faults.push({ text: part, message: "is not ID: REASON or ID@DIRECTION[INDEX]: REASON" });
    else if (!known.has(id))
      faults.push({ text: part, message: `names ${id}, which is not in the catalogue` });
    else entries.push({ id, rule: ruleOf(direction, index), reason, text: part });
  }
  if (text?.trim() === "") faults.push({ text: "", message: "is empty" });
  return { entries, faults };
}

/** The entries of an annotation. A semicolon at the end is none. */
export function partsOf(text: string): string[] {
  return text
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

function ruleOf(direction: string | undefined, index: string | undefined): Suppression["rule"] {
  if (index === undefined) return null;
  return { direction: direction === "egress" ? "egress" : "ingress", index: Number(index) };
}

/** Whether a finding of the id about the target is meant. */
export function covers({ id, rule }: Suppression, found: string, { at }: Target): boolean {
  if (id !== found) return false;
  return rule === null || (at?.direction === rule.direction && at.rule.index === rule.index);
}
