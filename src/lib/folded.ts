// A line folded for a terminal: broken between columns where one ends late in the line, else between words; the rest indented. A word
// longer than a line stays whole.

/** `width`: null: the line is not folded. `indent`: of the lines behind the first. */
export function folded(line: string, width: number | null, indent: number): readonly string[] {
  if (width === null || line.length <= width || width < 2 * indent) return [line];
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const column = rest.lastIndexOf("  ", width);
    const word = rest.lastIndexOf(" ", width);
    const found = 2 * column > width + indent ? column : word;
    const at = found > indent ? found : rest.indexOf(" ", width);
    if (at < 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = " ".repeat(indent) + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** Every line of a text, the rest below what stands behind a label: `    egress    …`, or a little further right than the line. */
export function foldedText(text: string, width: number | null): string {
  if (width === null) return text;
  return text
    .split("\n")
    .flatMap((line) => folded(line, width, indentOf(line, width)))
    .join("\n");
}

function indentOf(line: string, width: number): number {
  const label = /^ *\S+(?: \S+){0,2} {2,}(?=\S)/.exec(line)?.[0].length ?? Infinity;
  const own = line.length - line.trimStart().length;
  return label <= width / 3 ? label : own + 2;
}
