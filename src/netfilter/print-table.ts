// The filters of a node for people: every chain with its rules, every set with its elements.

import { familyNames } from "../model/ip.ts";
import { aligned } from "../lib/aligned.ts";
import { shownList } from "../lib/shown-list.ts";
import type { FamilyFilter } from "./preview.ts";

export function filterText(filters: readonly FamilyFilter[]): string {
  return filters.map(familyText).join("\n");
}

function familyText({ family, chains, sets }: FamilyFilter): string {
  const rules = chains.flatMap(({ name, rules: own }) => own.map((rule) => `  -A ${name} ${rule}`));
  const table = aligned([
    ["SET", "TYPE", "ELEMENTS"],
    ...sets.map(({ name, type, elements }) => [name, type, shownList(elements)]),
  ]);
  return [
    `${familyNames[family]}: ${chains.length} chains, ${rules.length} rules, ${sets.length} sets`,
    ...rules,
    ...table.map((line) => `  ${line}`),
    "",
  ].join("\n");
}
