// Names for policies that are new, unlike every other: the wanted name if it is free, else that name with a word or a
// number behind it. Every answer is a name that the API takes (RFC 1123 subdomain, at most 253 characters).

const longest = 253;

export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The first name that is free, which is then taken: the wanted one, with each ending, with numbers from 2. */
  take(wanted: string, endings: readonly string[] = []): string {
    const first = ["", ...endings].map((ending) => joined(wanted, ending)).find((name) => this.#isFree(name));
    let name = first ?? wanted;
    for (let number = 2; !this.#isFree(name); number++) name = joined(wanted, `-${number}`);
    this.#taken.add(name);
    return name;
  }

  #isFree(name: string): boolean {
    return !this.#taken.has(name);
  }
}

/** What is cut off must not leave a separator at the end. */
function joined(name: string, ending: string): string {
  if (name.length + ending.length <= longest) return `${name}${ending}`;
  return `${name.slice(0, longest - ending.length).replace(/[-.]+$/, "")}${ending}`;
}
