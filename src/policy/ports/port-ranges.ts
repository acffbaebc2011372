// Arithmetic on ranges of ports, and of the types and codes of ICMP.

import type { PortRange } from "../ir.ts";

export const everyPort: PortRange = { start: 0, end: 65_535 };

export function hasEveryPort(ranges: readonly PortRange[]): boolean {
  return ranges.some(({ start, end }) => start <= everyPort.start && everyPort.end <= end);
}

export function isInRange(number: number, ranges: readonly PortRange[]): boolean {
  return ranges.some(({ start, end }) => start <= number && number <= end);
}

/** Ascending; ranges that overlap or touch are one. */
export function mergedRanges(ranges: readonly PortRange[]): readonly PortRange[] {
  const merged: PortRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || range.start > last.end + 1) merged.push(range);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return merged;
}

/** What `not` leaves of `ranges`; in the order of `ranges`. */
export function rangesWithout(ranges: readonly PortRange[], not: readonly PortRange[]): readonly PortRange[] {
  return not.reduce(
    (left, hole) =>
      left.flatMap(({ start, end }) =>
        [
          { start, end: Math.min(end, hole.start - 1) },
          { start: Math.max(start, hole.end + 1), end },
        ].filter((one) => one.start <= one.end),
      ),
    ranges,
  );
}
