// Decides the form of a policy's rows, from the form of its kind and from what the program was asked for: rules with sets of
// their own share sets instead where that was asked for.

import type { PolicyHead } from "../../policy/ir.ts";
import type { RowForm } from "../../policy/contracts/row-form.ts";
import { selectorOwnerType } from "./names.ts";
import type { RenderOptions } from "./render-mode.ts";

/** Of kinds without a form of their own. */
const shared: RowForm = { sets: "selector", ownerType: selectorOwnerType };

/** Of one policy in one process: the options stay the same as long as the program runs. */
export function rowForm(
  { rowForm: own = shared }: Pick<PolicyHead, "rowForm">,
  { addressSets = "rule" }: Pick<RenderOptions, "addressSets">,
): RowForm {
  return own.sets === "rule" && addressSets === "shared" ? shared : own;
}

/** Every form in which rows of the kind may exist: an earlier run may have had another one. */
export function rowFormsOf({ rowForm: own = shared }: Pick<PolicyHead, "rowForm">): readonly RowForm[] {
  return own.sets === "rule" ? [own, shared] : [own];
}

/** Owner types of the sets that rules of the kinds share by selector. */
export function selectorOwnersOf(kinds: Iterable<Pick<PolicyHead, "rowForm">>): ReadonlySet<string> {
  const forms = [...kinds].flatMap(rowFormsOf);
  return new Set(forms.flatMap((form) => (form.sets === "selector" ? [form.ownerType] : [])));
}
