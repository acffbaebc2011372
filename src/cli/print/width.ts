// How wide lines may be: a terminal's width. What is piped or redirected has each line whole, for grep and diff, as kubectl does it,
// unless $COLUMNS says how wide the reader is.

import type { WriteStream } from "node:tty";

/** null: lines are not folded. */
export function widthOf(
  { isTTY, columns }: Pick<WriteStream, "isTTY" | "columns">,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): number | null {
  if (isTTY) return columns > 0 ? columns : null;
  const said = environment["COLUMNS"] ?? "";
  return /^[1-9]\d{0,4}$/.test(said) ? Number(said) : null;
}
