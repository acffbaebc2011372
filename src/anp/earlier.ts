// What a part of an object was compiled to the last time: where it reads as it did then, that is what it is compiled to now.

import type { Field } from "../model/reader.ts";

export interface Earlier<T> {
  /** As it read then, with what was found in it. */
  readonly field: Field;
  readonly compiled: T;
}

/** A named part of it. */
export function partOf<T, P>(
  earlier: Earlier<T> | null,
  name: string,
  compiled: (whole: T) => P,
): Earlier<P> | null {
  return earlier && { field: earlier.field.at(name), compiled: compiled(earlier.compiled) };
}

/** null: the field is to be read. What was found in it is to be found again, so then it is read too. */
export function unchanged<T>(field: Field, earlier: Earlier<T> | null): T | null {
  return earlier?.field.isClean === true && earlier.field.equals(field) ? earlier.compiled : null;
}
