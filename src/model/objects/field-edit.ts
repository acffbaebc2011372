// A change of one field of an object as it is written: what mends it, where there is one right way to. `from` is the text that is
// there.

export type FieldEdit =
  | { readonly op: "replace"; readonly from: string; readonly to: string }
  /** The item of a list that holds the field alone, but for these fields beside it. */
  | { readonly op: "removeItem"; readonly from: string; readonly beside: readonly string[] }
  /** The field, and what has nothing left without it. */
  | { readonly op: "removeField"; readonly from: string };
