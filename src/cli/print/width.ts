// How wide lines may be. Only a terminal folds: what is piped or redirected has each line whole, for grep and diff, as kubectl does it.

import type { WriteStream } from "node:tty";

/** null: lines are not folded. */
export function widthOf({ isTTY, columns }: Pick<WriteStream, "isTTY" | "columns">): number | null {
  return isTTY && columns > 0 ? columns : null;
}
