// Lines of cells → lines of text whose columns are aligned. The last column is not padded. Where a width is given, words of wide cells go
// on below; where even the longest words of all columns do not fit, the columns behind go below those before them.

export function aligned(
  lines: readonly (readonly string[])[],
  width: number | null = null,
): readonly string[] {
  const count = Math.max(0, ...lines.map((line) => line.length));
  const columns = Array.from({ length: count }, (_, column) => lines.map((line) => line[column] ?? ""));
  const whole = columns.map(longest);
  if (width === null || sum(whole) <= width) return lines.map((line) => joined(line, whole));
  const least = columns.map((cells) => longest(cells.flatMap((cell) => cell.split(" "))));
  const bands = bandsOf(least, width);
  const widths = bands.flatMap(({ first, end, indent }) =>
    shrunk(whole.slice(first, end), least.slice(first, end), width - indent),
  );
  return lines.flatMap((line) =>
    bands.flatMap(({ first, end, indent }) => {
      const cells = line.slice(first, end);
      if (first > 0 && cells.every((cell) => cell === "")) return [];
      return wrapped(cells, widths.slice(first, end)).map((text) => " ".repeat(indent) + text);
    }),
  );
}

const gap = 2;
const sum = (widths: readonly number[]) => widths.reduce((total, one) => total + one + gap, -gap);
const longest = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length));

/** Columns that stand beside one another: from `first`, before `end`. */
interface Band {
  readonly first: number;
  readonly end: number;
  readonly indent: number;
}

/** As many columns each as their longest words have room. Those behind the first are below its second column. */
function bandsOf(least: readonly number[], width: number): readonly Band[] {
  const bands: Band[] = [];
  for (let first = 0; first < least.length;) {
    const indent = first === 0 ? 0 : Math.min((least[0] ?? 0) + gap, 8);
    let end = first + 1;
    while (end < least.length && indent + sum(least.slice(first, end + 1)) <= width) end++;
    bands.push({ first, end, indent });
    first = end;
  }
  return bands;
}

/** The widest columns give way, none below its longest word, unless that is wider than all the room. */
function shrunk(whole: readonly number[], least: readonly number[], width: number): readonly number[] {
  const widths = [...whole];
  for (let over = sum(widths) - width; over > 0; over--) {
    const able = widths.map((one, column) => (one > Math.min(least[column] ?? 0, width) ? one : -1));
    const widest = Math.max(...able);
    if (widest < 0) break;
    widths[able.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function wrapped(cells: readonly string[], widths: readonly number[]): readonly string[] {
  const parts = cells.map((cell, column) => wordsWithin(cell, widths[column] ?? 0));
  const height = Math.max(1, ...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    joined(
      parts.map((part) => part[at] ?? ""),
      widths,
    ),
  );
}

function wordsWithin(cell: string, width: number): readonly string[] {
  if (cell.length <= width) return [cell];
  const lines: string[] = [];
  for (const word of cell.split(" ").filter((one) => one !== "")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function joined(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(" ".repeat(gap))
    .trimEnd();
}
