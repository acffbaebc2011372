// Lists of domain names as the policy APIs take them: at least two labels, `*.` before them or not, a dot behind them or not. Names
// whose addresses are learned are peers; the others are returned apart.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import { namesPeer } from "../policy/contracts/names.ts";
import type { HostNameGroup } from "../policy/ir.ts";

/** The first character of a label is upstream's `A-z`, which takes more than letters: what the server stores is read. */
const label = "[a-zA-z0-9](?:[-a-zA-Z0-9_]*[a-zA-Z0-9])?";
const domainName = new RegExp(String.raw`^(?:\*\.)?(?:${label}\.)+${label}\.?$`);

/** Names of one peer. */
export interface DomainNames {
  readonly field: Field;
  readonly learned: readonly HostNameGroup[];
  /** Names that no answer is learned for. */
  readonly others: readonly Field[];
}

/** From one to `max` different names; reports what is wrong. */
export function readDomainNames(field: Field, max: number, mode: NamesMode): DomainNames | null {
  const items = field.list(1, max);
  if (items === null) return null;
  const seen = new Set<string>();
  const texts = readAll(items, (item) => {
    const text = item.string();
    if (text === null) return null;
    if (!domainName.test(text)) return item.error(`${item.quoted} is not a domain name`);
    if (seen.has(text)) return item.error(`${item.quoted} is in the list twice`);
    seen.add(text);
    return text;
  });
  if (texts === null) return null;
  const peers = texts.map((text) => namesPeer(text, mode));
  return {
    field,
    learned: peers.filter((peer) => peer !== null),
    others: items.filter((_, at) => peers[at] === null),
  };
}
