// Panels with lines over time and numbers, as one SVG that reads on a light and on a dark page. Knows neither Prometheus nor
// Northgate. Invariant: what is drawn is in the given points; of many lines the highest are drawn, and one that is 0 all
// the time is only counted.

import { escaped } from "../../bench/report/svg.ts";

export interface PictureLine {
  readonly label: string;
  /** [seconds since the start, value], in the order of time. */
  readonly points: readonly (readonly [number, number])[];
}

export interface PicturePanel {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly PictureLine[];
}

export interface PictureNumber {
  readonly title: string;
  readonly text: string;
  readonly isBad: boolean;
}

export interface PictureMark {
  /** Seconds since the start. */
  readonly at: number;
  readonly text: string;
}

export interface Picture {
  readonly title: string;
  readonly note: string;
  readonly seconds: number;
  readonly numbers: readonly PictureNumber[];
  readonly panels: readonly PicturePanel[];
  readonly marks: readonly PictureMark[];
}

const width = 1000;
const edge = 16;
const gap = 14;
const columns = 2;
const card = { width: (width - 2 * edge - (columns - 1) * gap) / columns, height: 220 } as const;
const plot = { left: 60, right: 14, top: 34, bottom: 62 } as const;
const numberHeight = 62;
const mostLines = 6;
const markLine = 17;
const marksInLine = 2;
/** Told apart by people who see colours otherwise, too. */
const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#64748b"];
const ink = { title: "#0f172a", text: "#475569", faint: "#94a3b8", grid: "#eef2f6", border: "#dbe2ea" };

export function drawn(picture: Picture): string {
  const { title, note, numbers, panels, marks } = picture;
  const marksTop = 58 + (numbers.length === 0 ? 0 : numberHeight + gap);
  const panelsTop = marksTop + Math.ceil(marks.length / marksInLine) * markLine + 10;
  const height = panelsTop + Math.ceil(panels.length / columns) * (card.height + gap) - gap + edge;
  const numberWidth = (width - 2 * edge - (numbers.length - 1) * gap) / Math.max(1, numbers.length);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#f8fafc"/>`,
    text(edge, 28, title, `font-size="17" font-weight="600" fill="${ink.title}"`),
    text(edge, 46, note, `fill="${ink.text}"`),
    ...numbers.map((number, at) => numberCard(number, edge + at * (numberWidth + gap), 58, numberWidth)),
    ...marks.map((mark, at) => keyOf(mark, at, marksTop)),
    ...panels.map((panel, at) => {
      const x = edge + (at % columns) * (card.width + gap);
      const y = panelsTop + Math.floor(at / columns) * (card.height + gap);
      return `<g transform="translate(${x} ${y})">\n${panelCard(panel, picture)}\n</g>`;
    }),
    "</svg>",
    "",
  ].join("\n");
}

function numberCard(
  { title, text: shown, isBad }: PictureNumber,
  x: number,
  y: number,
  wide: number,
): string {
  return [
    box(x, y, wide, numberHeight),
    text(x + 10, y + 18, title, `fill="${ink.text}"`),
    text(x + 10, y + 47, shown, `font-size="24" font-weight="600" fill="${isBad ? "#b91c1c" : "#15803d"}"`),
  ].join("\n");
}

function keyOf({ at, text: said }: PictureMark, index: number, top: number): string {
  const x = edge + (index % marksInLine) * (card.width + gap);
  const y = top + Math.floor(index / marksInLine) * markLine + 8;
  return (
    text(x, y + 4, letter(index), `font-weight="600" fill="${ink.title}"`) +
    text(x + 14, y + 4, `${clock(at)}  ${said}`, `fill="${ink.text}"`)
  );
}

function panelCard({ title, unit, lines }: PicturePanel, { seconds, marks }: Picture): string {
  const moving = lines.filter((line) => highestOf(line) > 0);
  const shown = moving.toSorted((a, b) => highestOf(b) - highestOf(a)).slice(0, mostLines);
  const highest = Math.max(0, ...shown.map(highestOf));
  const { top, ticks, format } = scaleOf(highest, unit);
  const inner = { width: card.width - plot.left - plot.right, height: card.height - plot.top - plot.bottom };
  const x = (at: number): number => plot.left + (at / seconds) * inner.width;
  const y = (value: number): number => plot.top + inner.height - (value / top) * inner.height;
  const minutes = Array.from({ length: Math.floor(seconds / 60) + 1 }, (_, at) => at * 60);
  return [
    box(0, 0, card.width, card.height),
    text(12, 20, title, `font-size="12.5" font-weight="600" fill="${ink.title}"`),
    ...ticks.map(
      (tick) =>
        rule(plot.left, y(tick), card.width - plot.right, y(tick), ink.grid) +
        text(plot.left - 6, y(tick) + 4, format(tick), `text-anchor="end" fill="${ink.text}"`),
    ),
    ...minutes.map((at) =>
      text(
        x(at),
        plot.top + inner.height + 15,
        clock(at),
        `text-anchor="${at === seconds ? "end" : "middle"}" fill="${ink.text}"`,
      ),
    ),
    ...marks.map(
      ({ at }, index) =>
        `<line x1="${round(x(at))}" y1="${plot.top}" x2="${round(x(at))}" y2="${plot.top + inner.height}" stroke="${ink.faint}" stroke-width="0.8" stroke-dasharray="3 3"/>` +
        text(x(at), plot.top - 3, letter(index), `text-anchor="middle" font-size="9" fill="${ink.text}"`),
    ),
    ...shown.map(({ points }, at) => pathOf(points, x, y, colourOf(at))),
    legend(shown, moving.length - shown.length, lines.length - moving.length),
  ].join("\n");
}

/** Lines end where points are missing. */
function pathOf(
  points: PictureLine["points"],
  x: (at: number) => number,
  y: (value: number) => number,
  colour: string,
): string {
  const usable = points.filter(([, value]) => Number.isFinite(value));
  const step = Math.min(...usable.slice(1).map(([at], index) => at - (usable[index]?.[0] ?? 0)));
  const path = usable.map(([at, value], index) => {
    const before = usable[index - 1]?.[0];
    const begins = before === undefined || at - before > 1.5 * step;
    return `${begins ? "M" : "L"}${round(x(at))} ${round(y(value))}`;
  });
  return `<path d="${path.join("")}" fill="none" stroke="${colour}" stroke-width="1.7" stroke-linejoin="round"/>`;
}

/** In two lines at the most; what has no room there is counted. */
function legend(lines: readonly PictureLine[], unshown: number, resting: number): string {
  const entry = ({ label }: PictureLine): number => 26 + label.length * 6.2;
  const parts: string[] = [];
  let [x, y] = [14, card.height - 25];
  for (const [at, line] of lines.entries()) {
    if (x + entry(line) > card.width - 10) [x, y] = [14, y + 16];
    parts.push(`<rect x="${round(x)}" y="${y - 8}" width="9" height="9" rx="2" fill="${colourOf(at)}"/>`);
    parts.push(text(x + 13, y, line.label, `fill="${ink.text}"`));
    x += entry(line);
  }
  const rest = [
    ...(unshown === 0 ? [] : [`${unshown} smaller`]),
    ...(resting === 0 ? [] : [`${resting}${lines.length === 0 ? "" : " more"} at 0`]),
  ];
  if (rest.length > 0) parts.push(text(x, y, `+ ${rest.join(", ")}`, `fill="${ink.faint}"`));
  return parts.join("\n");
}

const highestOf = ({ points }: PictureLine): number => Math.max(0, ...points.map(([, value]) => value || 0));

interface Scale {
  readonly top: number;
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
}

/** Ticks at 1, 2 or 5 of a power of ten, at most five of them, and a unit that gives short numbers. */
function scaleOf(highest: number, unit: string): Scale {
  const [factor, name] = unitOf(highest, unit);
  const most = Math.max(highest * factor, unit === "short" ? 1 : 0) || 1;
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => most / one <= 4) ?? power;
  const whole = unit === "short" ? Math.max(1, Math.round(step)) : step;
  const count = Math.ceil(most / whole);
  const ticks = Array.from({ length: count + 1 }, (_, at) => at * whole);
  const digits = Math.max(0, -Math.floor(Math.log10(whole)));
  return {
    top: (count * whole) / factor,
    ticks: ticks.map((tick) => tick / factor),
    format: (value) => `${(value * factor).toFixed(digits)}${name}`,
  };
}

function unitOf(highest: number, unit: string): readonly [number, string] {
  switch (unit) {
    case "s":
      return highest < 1 ? [1000, " ms"] : [1, " s"];
    case "bytes":
      return [2 ** -20, " MiB"];
    case "percentunit":
      return [100, " %"];
    case "ops":
      return [1, " /s"];
    default:
      return [1, ""];
  }
}

const round = (value: number): string => value.toFixed(1);
const letter = (index: number): string => String.fromCharCode(97 + index);
const colourOf = (at: number): string => palette[at % palette.length] ?? ink.text;

/** Minutes and seconds. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function text(x: number, y: number, said: string, style: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${style}>${escaped(said)}</text>`;
}

function rule(fromX: number, fromY: number, toX: number, toY: number, colour: string): string {
  return `<line x1="${round(fromX)}" y1="${round(fromY)}" x2="${round(toX)}" y2="${round(toY)}" stroke="${colour}"/>`;
}

function box(x: number, y: number, wide: number, high: number): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(wide)}" height="${round(high)}" rx="6" fill="#ffffff" stroke="${ink.border}"/>`;
}
