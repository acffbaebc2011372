// Horizontal bars on a logarithmic scale, in one SVG that reads on a light and on a dark page; and the parts of it that
// any chart has. Knows no benchmark.

export interface Bar {
  readonly label: string;
  /** null: not measured; the place stays empty. */
  readonly value: number | null;
  readonly text: string;
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export const chartWidth = 860;
const width = chartWidth;
const left = 300;
const right = 110;
const barHeight = 13;
const groupGap = 12;
const top = 64;
/** Told apart by everyone; the first is ours. */
export const colours = ["#0f766e", "#94a3b8", "#c2410c"] as const;

export function barChart(title: string, unit: string, groups: readonly BarGroup[]): string {
  const values = groups
    .flatMap(({ bars }) => bars.map(({ value }) => value))
    .filter((value) => value !== null);
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  const x = (value: number) => left + ((Math.log10(value) - low) / (high - low)) * (width - left - right);
  const heights = groups.map(({ bars }) => bars.length * barHeight + groupGap);
  const height = top + heights.reduce((sum, one) => sum + one, 0) + 28;
  const decades = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  let y = top;
  const drawn = groups.map((group, at) => {
    const from = y;
    y += heights[at] ?? 0;
    return groupOf(group, from, x);
  });
  return drawing(title, height, [
    ...(groups[0]?.bars ?? []).map(
      ({ label }, at) =>
        `<rect x="${12 + at * 190}" y="34" width="11" height="11" fill="${colourOf(at)}"/>` +
        `<text x="${28 + at * 190}" y="44" fill="#334155">${escaped(label)}</text>`,
    ),
    ...decades.map(
      (value) =>
        `<line x1="${x(value)}" y1="${top - 8}" x2="${x(value)}" y2="${height - 24}" stroke="#e2e8f0"/>` +
        `<text x="${x(value)}" y="${height - 8}" text-anchor="middle" fill="#64748b">${value.toLocaleString("en")} ${unit}</text>`,
    ),
    ...drawn,
  ]);
}

/** A whole SVG, `chartWidth` wide, with its title. */
export function drawing(title: string, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="22" font-size="15" font-weight="600" fill="#0f172a">${escaped(title)}</text>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function groupOf({ title, bars }: BarGroup, y: number, x: (value: number) => number): string {
  const middle = y + (bars.length * barHeight) / 2 + 4;
  return [
    `<text x="${left - 10}" y="${middle}" text-anchor="end" fill="#0f172a">${escaped(title)}</text>`,
    ...bars.map(({ value, text }, at) => {
      if (value === null) return "";
      const to = x(value);
      const line = y + at * barHeight;
      return (
        `<rect x="${left}" y="${line}" width="${Math.max(1, to - left).toFixed(1)}" height="${barHeight - 2}" fill="${colourOf(at)}"/>` +
        `<text x="${(Math.max(left, to) + 5).toFixed(1)}" y="${line + 10}" fill="#334155">${escaped(text)}</text>`
      );
    }),
  ].join("\n");
}

function colourOf(at: number): string {
  return colours[at % colours.length] ?? colours[0];
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
