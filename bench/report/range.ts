/** The least and the most of some values; a dash where there are none. */
export function range(values: readonly number[], digits: number): string {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return "–";
  const [least, most] = [Math.min(...known).toFixed(digits), Math.max(...known).toFixed(digits)];
  return least === most ? least : `${least}–${most}`;
}
