// The fields in which the outputs of this tree may differ from those of the base. Empty unless a change of behaviour is under
// way; it is emptied again when the base moves on.

export interface Allowed {
  readonly command: string;
  /** The name of a field of its JSON. */
  readonly field: string;
  readonly why: string;
}

export const allowed: readonly Allowed[] = [];
