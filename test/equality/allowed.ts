// The fields in which the outputs of this tree may differ from those of the base. Empty unless a change of behaviour is under
// way; it is emptied again when the base moves on.

export interface Allowed {
  readonly command: string;
  /** The name of a field of its JSON. */
  readonly field: string;
  /** true: its list may have another order; absent: it may have any value. */
  readonly isUnordered?: true;
  readonly why: string;
}

const inOrder =
  "rules that precede a rule are listed in the order of evaluation, not in that of the pods that meet them";

const newRules = "NG021 to NG028 are new, and findings have an edit";

export const allowed: readonly Allowed[] = [
  { command: "lint", field: "related", isUnordered: true, why: inOrder },
  { command: "lint", field: "relatedLocations", isUnordered: true, why: inOrder },
  ...["findings", "counts", "results", "rules"].map((field) => ({ command: "lint", field, why: newRules })),
];

/** Manifests of which `plan` gives other verdicts than the base: its classes tell connections from certain source ports apart. */
export function haveOtherPlans(manifests: readonly unknown[]): boolean {
  return JSON.stringify(manifests).includes('"sourcePort":');
}
