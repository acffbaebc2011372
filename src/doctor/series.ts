// Northgate's own metrics in a text of /metrics. Other lines are left out.

export interface Series {
  readonly name: string;
  /** Without braces. */
  readonly labels: string;
  readonly value: number;
}

/** In the text format of Prometheus. */
export function seriesIn(text: string): readonly Series[] {
  return text.split("\n").flatMap((line) => {
    const [, name = "", labels = "", value = ""] = /^(northgate_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === "" ? [] : [{ name, labels, value: Number(value) }];
  });
}
