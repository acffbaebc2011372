// Reads the variables that `make` hands to a measurement. An empty one counts as not given. Refuses what it cannot read,
// naming the variable.

/** A variable has a value that the program does not know; the message is one line for the user. */
export class SettingsError extends Error {}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

export class Variables {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  text(name: string, otherwise: string): string {
    return (this.#env[name] ?? "") || otherwise;
  }

  /** What stands between commas. */
  list(name: string, otherwise: string): readonly string[] {
    return this.text(name, otherwise).split(",");
  }

  /** One of the words that are known. */
  choice<T extends string>(name: string, known: readonly T[], otherwise: T): T {
    const value = this.text(name, otherwise);
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    throw new SettingsError(`${name}=${value}: not one of ${known.join(", ")}`);
  }

  /** A whole number from 1 to `most`. */
  number(name: string, otherwise: number, most: number): number {
    const value = this.text(name, String(otherwise));
    const number = /^[1-9]\d*$/.test(value) ? Number(value) : NaN;
    if (number <= most) return number;
    throw new SettingsError(`${name}=${value}: not a whole number from 1 to ${most}`);
  }

  /** A time such as 90s, 10m or 2h, in milliseconds. */
  durationMs(name: string, otherwise: string): number {
    const value = this.text(name, otherwise);
    const [, number, unit = ""] = /^([1-9]\d{0,4})([smh])$/.exec(value) ?? [];
    const factor = unitMs[unit];
    if (factor === undefined) throw new SettingsError(`${name}=${value}: not a time such as 90s, 10m or 2h`);
    return Number(number) * factor;
  }

  /** The path of a page; null for `none`. */
  page(otherwise: string): string | null {
    const page = this.text("PAGE", otherwise);
    return page === "none" ? null : page;
  }
}
