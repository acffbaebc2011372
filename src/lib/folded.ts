// A line folded for a terminal: broken at spaces, the rest indented. A word longer than a line stays whole.

/** `width`: null: the line is not folded. `indent`: of the lines behind the first. */
export function folded(line: string, width: number | null, indent: number): readonly string[] {
  if (width === null || line.length <= width || width < 2 * indent) return [line];
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const at = space > indent ? space : rest.indexOf(" ", width);
    if (at < 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = " ".repeat(indent) + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
