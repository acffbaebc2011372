// What a scrape says, by series. Refuses nothing: lines that are no samples are passed over.

export type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export class Scrape {
  readonly #samples: readonly Sample[];

  constructor(text: string) {
    this.#samples = text.split("\n").flatMap((row) => {
      const [, name, labels = "", value] = line.exec(row) ?? [];
      if (name === undefined || value === undefined) return [];
      const pairs = [...labels.matchAll(label)].map(([, key = "", text = ""]) => [key, text] as const);
      return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
    });
  }

  /** The sum of the series that carry these labels; null when there is none. */
  value(name: string, labels: Labels = {}): number | null {
    const found = this.#of(name, labels);
    return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** Series of a family that are not zero, by the values of these labels. */
  nonzero(name: string, ...by: readonly string[]): Readonly<Record<string, number>> {
    const found = this.#of(name, {}).filter(({ value }) => value !== 0);
    return Object.fromEntries(
      found.map(({ labels, value }) => [by.map((key) => labels[key] ?? "").join(" "), value]),
    );
  }

  #of(name: string, wanted: Labels): readonly Sample[] {
    const carries = (labels: Labels) => Object.entries(wanted).every(([key, text]) => labels[key] === text);
    return this.#samples.filter((sample) => sample.name === name && carries(sample.labels));
  }
}
