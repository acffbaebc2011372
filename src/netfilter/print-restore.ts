// The filters of a node as one text of three parts: for `ipset restore`, `iptables-restore --noflush` and `ip6tables-restore
// --noflush`, for a node that has nothing of Northgate's.

import type { IpFamily } from "../model/ip.ts";
import { chains } from "./names.ts";
import type { FamilyFilter } from "./preview.ts";
import type { ChainText } from "./print-hooks.ts";
import { ipsetText } from "./print-ipset.ts";

const tools: Readonly<Record<IpFamily, string>> = { v4: "iptables", v6: "ip6tables" };

export function restoreText(filters: readonly FamilyFilter[]): string {
  return [
    "# ipset\n",
    ipsetText(filters.flatMap(({ sets }) => sets)),
    ...filters.flatMap(({ family, chains: own }) => [`# ${tools[family]}\n`, iptablesText(own)]),
  ].join("");
}

/** `:CHAIN - [0:0]` creates a chain, or empties it. FORWARD and INPUT are not named so: it would set their policy. */
function iptablesText(own: readonly ChainText[]): string {
  if (own.length === 0) return "";
  return [
    "*filter",
    ...own.map(({ name }) => `:${name} - [0:0]`),
    ...own.flatMap(({ name, rules }) => rules.map((rule) => `-A ${name} ${rule}`)),
    `-I FORWARD 1 -j ${chains.forward}`,
    `-I INPUT 1 -j ${chains.input}`,
    "COMMIT",
    "",
  ].join("\n");
}
