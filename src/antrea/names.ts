// Names of rules: unique in a policy over both directions. A rule without a name gets one at admission that is made from
// all that it says, so two equal ones of one direction have one name.

import { isDeepStrictEqual } from "node:util";
import type { Field } from "../model/reader.ts";
import type { Direction } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";

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
  const unnamed = spec
    .at(direction)
    .items()
    .filter(
      (rule) => rule.isObject && !(typeof rule.at("name").raw === "string" && rule.at("name").raw !== ""),
    );
  unnamed.forEach((rule, index) => {
    const first = unnamed.slice(0, index).find((other) => isDeepStrictEqual(other.raw, rule.raw));
    if (first !== undefined) rule.error(`says the same as ${first.path}, and neither has a name`);
  });
}
