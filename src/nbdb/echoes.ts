// Address sets that this commit inserted: they come back as changes, and need no second look, however large they are. A set
// that comes back with another size, or changes again, is looked at like any other.

export class Echoes {
  readonly #awaited = new Map<string, number>();
  readonly #heard = new Set<string>();

  /** A set of so many elements is about to be inserted. */
  await(name: string, size: number): void {
    this.#awaited.set(name, size);
  }

  /** Whether a set that appeared is the one we inserted. The server tells of it before it answers. */
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
