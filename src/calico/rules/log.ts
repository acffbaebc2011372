// Rules that only log. One whose criteria are those of the rule behind it logs what that rule decides; OVN has no way to log
// without a decision, so that any other is left out.

import { sameJson } from "../../model/objects/json.ts";
import type { Field } from "../../model/reader.ts";

/** The indexes of the rules that log, because the rules before them say so. Warns of those that are left out. */
export function loggedBy(rules: readonly Field[]): ReadonlySet<number> {
  const logged = new Set<number>();
  rules.forEach((rule, index) => {
    if (rule.at("action").raw !== "Log") return;
    const at = rules.findIndex((other, place) => place > index && other.at("action").raw !== "Log");
    const isSame = at > 0 && rules.slice(index + 1, at + 1).every((other) => haveSameCriteria(rule, other));
    if (isSame) logged.add(at);
    else
      rule.at("action").warn("only a Log with the criteria of the rule behind it is obeyed", "Unsupported");
  });
  return logged;
}

function haveSameCriteria(one: Field, other: Field): boolean {
  return sameJson(criteriaOf(one), criteriaOf(other));
}

function criteriaOf(rule: Field): Readonly<Record<string, unknown>> {
  const names = rule.names().filter((name) => name !== "action" && name !== "metadata");
  return Object.fromEntries(names.sort().map((name) => [name, rule.at(name).raw]));
}
