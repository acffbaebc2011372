// `domains` of a side: names of domains, which the API of Calico Enterprise has in the destination of an egress rule that allows. A `*`
// stands for one label or more. Names whose addresses are learned are peers; any other one closes its rule, and so does a restriction
// beside them that a name cannot have.

import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import { namesPeer } from "../../policy/contracts/names.ts";
import type { HostNameGroup } from "../../policy/ir.ts";
import type { Reading } from "../reading.ts";
import type { SidePlace } from "./services.ts";

const label = "[a-zA-Z0-9_](?:[-a-zA-Z0-9_]*[a-zA-Z0-9_])?";
const domainName = new RegExp(String.raw`^(?:\*|${label})(?:\.(?:\*|${label}))*\.?$`);
/** What an address that DNS answered would have to be as well. */
const restrictions = ["notNets", "notSelector", "namespaceSelector", "serviceAccounts", "services"];

/** None: there are none. null: an error was reported. */
export function readDomains(
  side: Field,
  { isEgress, isPeer, isAllow }: SidePlace,
  reading: Reading,
): readonly HostNameGroup[] | null {
  const field = side.at("domains");
  if (!field.present) return [];
  const items = field.list(0, Infinity);
  if (items === null || items.length === 0) return items && [];
  if (!isEgress || !isPeer || !isAllow)
    return field.error("must only be the destination of an egress rule that allows");
  if (side.has("nets") || side.has("selector")) return field.error("must not be beside nets or selector");
  const texts = readAll(items, readName);
  if (texts === null) return null;
  const [beside] = restrictions.filter((name) => side.has(name));
  if (beside !== undefined) reading.close(side.at(beside), "cannot restrict names of domains here");
  const peers = texts.flatMap((text) => namesPeer(text, reading.names) ?? []);
  if (peers.length < texts.length) reading.close(field, "names of domains are not resolved here");
  return peers;
}

function readName(field: Field): string | null {
  const text = field.string();
  if (text === null || domainName.test(text)) return text;
  return field.error(`${field.quoted} is not a domain name`);
}
