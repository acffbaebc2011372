// Lines of cells → lines of text whose columns are aligned. The last column is not padded.

export function aligned(lines: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...lines.map((line) => line.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
