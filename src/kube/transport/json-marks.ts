// The characters by which JSON is divided without being parsed: the same in its text and in its bytes.

export const quoteMark = 0x22;
export const backslash = 0x5c;

/** By how much the nesting changes at this character outside of a string. Brackets and braces differ from each other by one bit. */
export function step(character: number): number {
  const folded = character | 0x20;
  return folded === 0x7b ? 1 : folded === 0x7d ? -1 : 0;
}
