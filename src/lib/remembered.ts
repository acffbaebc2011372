// What is made of an object, kept as long as the object lives: asked again about the same one, it is the same value.

export class Remembered<K extends object, Part, V> {
  readonly #known = new WeakMap<K, Map<Part, V>>();

  /** `part`: what else the value depends on. */
  of(key: K, part: Part, make: () => V): V {
    const parts = this.#known.get(key) ?? new Map<Part, V>();
    this.#known.set(key, parts);
    const known = parts.get(part);
    if (known !== undefined) return known;
    const made = make();
    parts.set(part, made);
    return made;
  }
}
