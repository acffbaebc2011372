// The filters of a node for people: every chain with its rules, every set with its elements.

import { familyNames } from "../model/ip.ts";
import { aligned } from "../lib/aligned.ts";
import { shownList } from "../lib/text/shown-list.ts";
import type { FilterPart } from "./preview.ts";

export function filterText(filters: readonly FilterPart[]): string {
  return filters.map(partText).join("\n");
}

function partText({ family, chains, sets }: FilterPart): string {
  const [title, verb] = family === "inet" ? ["IPv4 and IPv6", "chain"] : [familyNames[family], "-A"];
  const rules = chains.flatMap(({ name, rules: own }) => own.map((rule) => `  ${verb} ${name} ${rule}`));
  const table = aligned([
    ["SET", "TYPE", "ELEMENTS"],
    ...sets.map(({ name, type, elements }) => [name, type, shownList(elements)]),
  ]);
  return [
    `${title}: ${chains.length} chains, ${rules.length} rules, ${sets.length} sets`,
    ...rules,
    ...table.map((line) => `  ${line}`),
    "",
  ].join("\n");
}
