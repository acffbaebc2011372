// Address sets and port groups that this commit inserted: they come back as changes, and need no second look, however large
// they are. A row that comes back with another size, or changes again, is looked at like any other.

export class Echoes {
  readonly #awaited = new Map<string, number>();
  readonly #heard = new Set<string>();

  /** A row of so many elements, of all its set columns, is about to be inserted. */
  await(name: string, size: number): void {
    this.#awaited.set(name, size);
  }

  /** Whether a row that appeared is the one we inserted. The server tells of it before it answers. */
  hear(name: string, size: number): boolean {
    if (this.#awaited.get(name) !== size) return false;
    this.#awaited.delete(name);
    this.#heard.add(name);
    return true;
  }

  /** Whether the set is as it was rendered in this commit, but for what changed since. */
  isFresh(name: string): boolean {
    return this.#heard.has(name);
  }

  /** The commit is over: members may change from now on. */
  clear(): void {
    this.#awaited.clear();
    this.#heard.clear();
  }
}
