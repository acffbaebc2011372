// The place of a run, according to the existing rows.

/** The levels that most say; where they disagree, one that another client has changed moves nothing. */
export class Votes<K> {
  readonly #votes = new Map<K, Map<number, number>>();

  add(key: K, level: number): void {
    const votes = this.#votes.get(key) ?? new Map<number, number>();
    this.#votes.set(key, votes);
    votes.set(level, (votes.get(level) ?? 0) + 1);
  }

  most(): Map<K, number> {
    return new Map(
      Array.from(this.#votes, ([key, votes]) => {
        const [first] = [...votes].sort(([, a], [, b]) => b - a);
        return [key, first?.[0] ?? -1];
      }),
    );
  }
}
