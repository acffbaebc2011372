// Whether a list holds domain names as the policy APIs take them: at least two labels, `*.` before them or not, a dot
// behind them or not. Only checks: names are not resolved here.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";

/** The first character of a label is upstream's `A-z`, which takes more than letters: what the server stores is read. */
const label = "[a-zA-z0-9](?:[-a-zA-Z0-9_]*[a-zA-Z0-9])?";
const domainName = new RegExp(String.raw`^(?:\*\.)?(?:${label}\.)+${label}\.?$`);

/** From one to `max` different names; reports what is wrong. */
export function areDomainNames(field: Field, max: number): boolean {
  const items = field.list(1, max);
  if (items === null) return false;
  const seen = new Set<string>();
  const read = readAll(items, (item) => {
    const text = item.string();
    if (text === null) return null;
    if (!domainName.test(text)) return item.error(`${item.quoted} is not a domain name`);
    if (seen.has(text)) return item.error(`${item.quoted} is in the list twice`);
    seen.add(text);
    return text;
  });
  return read !== null;
}
