// What is asked of the value of one label that is unknown, and values that give every answer: one of those that are asked for,
// and others, which no selector names but which may contain, start with or end with what is asked for. Invariant: whatever
// value the label has, one of these has the same answers. Characters that no label can have are not told from others.

import type { Requirement, TextRequirement } from "../model/selector.ts";

/** Private characters, which no label has and no selector asks for: for a value that is not named, and a second one. */
const others = ["\u{e000}", "\u{e001}"] as const;

export class AskedValues {
  readonly #values = new Set<string>();
  /** By operator and text. */
  readonly #texts = new Map<string, TextRequirement>();
  #isCompared = false;

  ask(requirement: Requirement): void {
    if ("values" in requirement) for (const value of requirement.values) this.#values.add(value);
    if ("text" in requirement) this.#texts.set(`${requirement.operator} ${requirement.text}`, requirement);
  }

  /** Whether it equals this value. */
  compare(value: string): void {
    this.#values.add(value);
  }

  /** Whether it equals the value of which the other is asked: each may have any value that the other may have, or not. */
  share(other: AskedValues): void {
    this.#isCompared = true;
    for (const value of other.#values) this.#values.add(value);
    for (const [text, requirement] of other.#texts) this.#texts.set(text, requirement);
  }

  /** Distinct; null: more than `most`. */
  values(most: number): readonly string[] | null {
    const between = this.#isCompared ? others : others.slice(0, 1);
    const [starts, ends, parts] = [
      this.#asked("StartsWith"),
      this.#asked("EndsWith"),
      this.#asked("Contains"),
    ];
    const made = (1 + starts.length) * (1 + ends.length) * 2 ** parts.length * between.length;
    if (this.#values.size + made > most) return null;
    const middles = parts.reduce<readonly (readonly string[])[]>(
      (lists, part) => lists.flatMap((list) => [list, [...list, part]]),
      [[]],
    );
    const composed = between.flatMap((filler) =>
      ["", ...starts].flatMap((start) =>
        middles.flatMap((middle) => ["", ...ends].map((end) => [start, ...middle, end].join(filler))),
      ),
    );
    return [...this.#values, ...composed];
  }

  /** Sorted, so that two which share compose the same values. */
  #asked(operator: TextRequirement["operator"]): readonly string[] {
    const asked = [...this.#texts.values()].filter((one) => one.operator === operator);
    return asked.map(({ text }) => text).sort();
  }
}
