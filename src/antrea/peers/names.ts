// Names of rules: unique in a policy over both directions. A rule without a name gets one at admission that is made from
// all that it says, so two equal ones of one direction have one name.

import { isDeeperThan } from "../../model/objects/json.ts";
import type { Field } from "../../model/reader.ts";
import type { Direction } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";

export function refuseSameNames(spec: Field): void {
  const seen = new Map<string, Field>();
  for (const direction of directions) {
    for (const rule of spec.at(direction).items()) {
      const name = rule.at("name");
      if (typeof name.raw !== "string" || name.raw === "") continue;
      const first = seen.get(name.raw);
      if (first === undefined) seen.set(name.raw, rule);
      else name.error(`${name.quoted} is the name of ${first.path} too`);
    }
    refuseEqual(spec, direction);
  }
}

function refuseEqual(spec: Field, direction: Direction): void {
  const seen = new Map<string, Field>();
  for (const rule of spec.at(direction).items()) {
    const { raw } = rule.at("name");
    const isNamed = typeof raw === "string" && raw !== "";
    if (isNamed || !rule.isObject || isDeeperThan(levels, rule.raw)) continue;
    const text = JSON.stringify(rule.raw, sorted);
    const first = seen.get(text);
    if (first === undefined) seen.set(text, rule);
    else rule.error(`says the same as ${first.path}, and neither has a name`);
  }
}

/** No rule that can be read nests deeper. */
const levels = 20;

/** The order of fields has no meaning. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
