// Figures over time, one panel under the other with a common axis of time, and a mark for each fault. Knows no soak.

import { chartWidth, colours, drawing, escaped } from "../../bench/report/svg.ts";

export interface Line {
  readonly label: string;
  /** [minutes, value], in the order of time. */
  readonly points: readonly (readonly [number, number])[];
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const left = 60;
const right = 16;
const panelHeight = 120;
const panelGap = 40;
const top = 66;

/** `marks` are minutes; `marked` says what they are. */
export function lineChart(
  title: string,
  panels: readonly Panel[],
  marks: readonly number[],
  marked: string,
): string {
  const minutes = Math.max(
    ...panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(([at]) => at))),
  );
  const x = (at: number) => left + (at / minutes) * (chartWidth - left - right);
  const height = top + panels.length * (panelHeight + panelGap);
  return drawing(title, height, [
    `<text x="12" y="40" fill="#64748b">${escaped(marked)}</text>`,
    ...panels.flatMap((panel, at) => drawn(panel, top + at * (panelHeight + panelGap), x, marks)),
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (share) =>
        `<text x="${x(share * minutes).toFixed(1)}" y="${height - 10}" text-anchor="middle" fill="#64748b">${(share * minutes).toFixed(1)} min</text>`,
    ),
  ]);
}

function drawn(
  { title, lines }: Panel,
  from: number,
  x: (at: number) => number,
  marks: readonly number[],
): readonly string[] {
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const highest = Math.max(1, ...values) * 1.1;
  const y = (value: number) => from + panelHeight - (value / highest) * panelHeight;
  return [
    `<text x="${left}" y="${from - 8}" font-weight="600" fill="#0f172a">${escaped(title)}</text>`,
    ...lines.map(
      ({ label }, at) =>
        `<rect x="${left + 260 + at * 190}" y="${from - 17}" width="11" height="11" fill="${colours[at] ?? colours[0]}"/>` +
        `<text x="${left + 276 + at * 190}" y="${from - 8}" fill="#334155">${escaped(label)}</text>`,
    ),
    ...marks.map(
      (at) =>
        `<line x1="${x(at).toFixed(1)}" y1="${from}" x2="${x(at).toFixed(1)}" y2="${from + panelHeight}" stroke="#e2e8f0"/>`,
    ),
    ...[0, 0.5, 1].map((share) => {
      const value = (share * highest) / 1.1;
      const at = y(value).toFixed(1);
      return (
        `<line x1="${left}" y1="${at}" x2="${chartWidth - right}" y2="${at}" stroke="#cbd5e1"/>` +
        `<text x="${left - 6}" y="${Number(at) + 4}" text-anchor="end" fill="#64748b">${Math.round(value).toLocaleString("en")}</text>`
      );
    }),
    ...lines.map(({ points }, at) => {
      const path = points.map(([when, value]) => `${x(when).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
      return `<polyline points="${path}" fill="none" stroke="${colours[at] ?? colours[0]}" stroke-width="1.2"/>`;
    }),
  ];
}
