// Changes of a text by their places in it, and the same as a unified diff, which people read and `patch` applies.

/** Offsets, and what stands there instead. Changes of one text do not overlap. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function applied(text: string, changes: readonly TextChange[]): string {
  const ordered = changes.toSorted((a, b) => b.start - a.start);
  return ordered.reduce(
    (whole, change) => whole.slice(0, change.start) + change.text + whole.slice(change.end),
    text,
  );
}

const context = 3;
const noNewline = "\\ No newline at end of file\n";

/** Whole lines, from the first to before the last, counted from 0; and what they become. */
interface Region {
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
}

/** "": there is no change. */
export function unifiedDiff(path: string, text: string, changes: readonly TextChange[]): string {
  const old = linesOf(text);
  const hunks = hunksOf(regionsOf(text, old, changes));
  let shift = 0;
  const bodies = hunks.map((hunk) => {
    const body = hunkText(old, hunk, shift);
    shift += hunk.reduce((sum, { first, last, lines }) => sum + lines.length - (last - first), 0);
    return body;
  });
  return bodies.length === 0 ? "" : `--- a/${path}\n+++ b/${path}\n${bodies.join("")}`;
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function regionsOf(text: string, old: readonly string[], changes: readonly TextChange[]): readonly Region[] {
  const starts = old.reduce<number[]>((all, line) => [...all, (all.at(-1) ?? 0) + line.length], [0]);
  const lineAt = (offset: number): number => starts.findLastIndex((start) => start <= offset);
  const regions: { first: number; last: number; changes: TextChange[] }[] = [];
  for (const change of changes.toSorted((a, b) => a.start - b.start)) {
    const first = lineAt(change.start);
    const isOfWholeLines =
      [change.start, change.end].every((one) => starts.includes(one)) && isLines(change.text);
    const behind = lineAt(change.end);
    const last = Math.min(old.length, isOfWholeLines && behind > first ? behind : behind + 1);
    const before = regions.at(-1);
    if (before !== undefined && first < before.last) {
      before.last = Math.max(before.last, last);
      before.changes.push(change);
    } else regions.push({ first, last, changes: [change] });
  }
  return regions.map(({ first, last, changes: own }) => {
    const from = starts[first] ?? 0;
    const whole = text.slice(from, starts[last]);
    const moved = own.map(({ start, end, text: to }) => ({ start: start - from, end: end - from, text: to }));
    return { first, last, lines: linesOf(applied(whole, moved)) };
  });
}

function isLines(text: string): boolean {
  return text === "" || text.endsWith("\n");
}

/** Regions whose contexts touch are one hunk. */
function hunksOf(regions: readonly Region[]): readonly (readonly Region[])[] {
  const hunks: Region[][] = [];
  for (const region of regions) {
    const hunk = hunks.at(-1);
    const before = hunk?.at(-1);
    if (hunk !== undefined && before !== undefined && region.first - before.last <= 2 * context)
      hunk.push(region);
    else hunks.push([region]);
  }
  return hunks;
}

/** `shift`: how many lines the hunks before it have added. */
function hunkText(old: readonly string[], hunk: readonly Region[], shift: number): string {
  const [start, end] = [
    Math.max(0, (hunk[0]?.first ?? 0) - context),
    Math.min(old.length, (hunk.at(-1)?.last ?? 0) + context),
  ];
  const body: string[] = [];
  let at = start;
  for (const { first, last, lines } of hunk) {
    body.push(...old.slice(at, first).map(marked(" ")), ...old.slice(first, last).map(marked("-")));
    body.push(...lines.map(marked("+")));
    at = last;
  }
  body.push(...old.slice(at, end).map(marked(" ")));
  const added = hunk.reduce((sum, { first, last, lines }) => sum + lines.length - (last - first), 0);
  const [before, after] = [rangeText(start, end - start), rangeText(start + shift, end - start + added)];
  return `@@ -${before} +${after} @@\n${body.join("")}`;
}

/** A range without lines is behind the line that it names. */
function rangeText(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

function marked(mark: string): (line: string) => string {
  return (line) => (line.endsWith("\n") ? `${mark}${line}` : `${mark}${line}\n${noNewline}`);
}
