// What is made of an object, kept as long as the object lives: asked again about the same one, it is the same value.

interface Part<P, V> {
  readonly part: P;
  readonly value: V;
}

/** For objects with few parts each. */
export class Remembered<K extends object, P, V> {
  readonly #known = new WeakMap<K, Part<P, V>[]>();

  /** `part`: what else the value depends on. */
  of(key: K, part: P, make: () => V): V {
    const parts = this.#known.get(key);
    const known = parts?.find((one) => one.part === part);
    if (known !== undefined) return known.value;
    const value = make();
    if (parts === undefined) this.#known.set(key, [{ part, value }]);
    else parts.push({ part, value });
    return value;
  }
}
