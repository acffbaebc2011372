// Numbers and lists of ends in words.

import { numberText } from "../../lib/counted.ts";
import { listed } from "../../lib/text/few.ts";

/** How many ends a text names. */
export const shown = 3;

/** "a, b and c"; of more than three: "10 namespaces". */
export function namespacesText(names: readonly string[]): string {
  return names.length <= shown ? listed([...names].sort()) : `${numberText(names.length)} namespaces`;
}
