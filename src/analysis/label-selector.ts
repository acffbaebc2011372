// A label selector as kubectl takes it with -l: `app=web,tier!=cache,env in (dev,test),!canary`. The grammar is that of
// apimachinery's labels.Parse, without its comparisons of numbers.

import type { Requirement, Selector } from "../model/selector.ts";
import { everything, requirements } from "../model/selector.ts";
import { isLabelKey, isLabelValue } from "../model/syntax.ts";

/** A sentence about what cannot be read. */
export class NoSelector extends Error {
  override readonly name = "NoSelector";
}

/** The empty text selects everything. Throws NoSelector. */
export function parseLabelSelector(text: string): Selector {
  const trimmed = text.trim();
  if (trimmed === "") return everything;
  return requirements(partsOf(trimmed).map((part) => requirementIn(part.trim())));
}

/** As it is parsed; null: the grammar cannot say it. */
export function labelSelectorText(selector: Selector): string | null {
  if (selector.kind !== "requirements") return null;
  const texts = selector.requirements.map(requirementText);
  return texts.includes(null) ? null : texts.join(",");
}

function requirementText(requirement: Requirement): string | null {
  const { operator, key } = requirement;
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  if (!("values" in requirement)) return null;
  const [value = "", ...others] = requirement.values;
  if (others.length === 0) return `${key}${operator === "In" ? "=" : "!="}${value}`;
  return `${key} ${operator.toLowerCase()} (${requirement.values.join(",")})`;
}

/** At the commas that are in no parentheses. */
function partsOf(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/);
}

const form = /^(!?)\s*([^\s=!,()]+)\s*(?:(==?|!=)\s*(\S*)|\s(in|notin)\s*\(([^()]*)\))?$/;
const forms = "KEY, !KEY, KEY=VALUE, KEY!=VALUE, KEY in (VALUES) or KEY notin (VALUES)";

function requirementIn(part: string): Requirement {
  const [, not, key = "", sign, value = "", word, list] = form.exec(part) ?? [];
  const isAlone = sign === undefined && word === undefined;
  if (!isLabelKey(key) || (not !== "" && !isAlone))
    throw new NoSelector(`${JSON.stringify(part)} is not ${forms}`);
  if (isAlone) return { operator: not === "" ? "Exists" : "DoesNotExist", key };
  const operator = sign === "!=" || word === "notin" ? "NotIn" : "In";
  return { operator, key, values: valuesIn(list ?? value) };
}

function valuesIn(list: string): readonly string[] {
  const values = list.split(",").map((one) => one.trim());
  const wrong = values.find((one) => !isLabelValue(one));
  if (wrong !== undefined) throw new NoSelector(`${JSON.stringify(wrong)} is not the value of a label`);
  return values;
}
