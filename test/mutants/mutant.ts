// What a planted mistake is: one exact piece of the product's text and what stands there instead. It refuses to be planted
// where its text does not stand exactly once, because a mutant that changes nothing, or something else, proves nothing.

export const areas = [
  "compiler",
  "match text",
  "priorities",
  "membership",
  "planner",
  "explain",
  "existing rows",
  "plan",
  "can and matrix",
  "lint",
  "ui",
  "writers",
  "packet filter",
  "packet filter of a node",
] as const;
export type Area = (typeof areas)[number];

export interface Mutant {
  readonly name: string;
  readonly area: Area;
  /** From the repository's root. */
  readonly file: string;
  /** As it stands in the file, exactly once. */
  readonly was: string;
  readonly becomes: string;
  /** What goes wrong for a user, in one sentence. */
  readonly harm: string;
}

/** The list does not fit the sources. */
export class StaleMutantError extends Error {
  override readonly name = "StaleMutantError";
}

/** The file's text with the mistake in it. */
export function planted({ name, file, was, becomes }: Mutant, text: string): string {
  const found = text.split(was).length - 1;
  if (found !== 1)
    throw new StaleMutantError(`mutant ${name}: its text stands ${found} times in ${file}, not once`);
  if (was === becomes) throw new StaleMutantError(`mutant ${name}: changes nothing`);
  // A function, since "$" means something in a replacement text.
  return text.replace(was, () => becomes);
}
