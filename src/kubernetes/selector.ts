// metav1.LabelSelector → Selector. Stricter than the API server, which prunes unknown fields: a selector that loses a
// field selects more than its author meant, so here anything unknown rejects the policy.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Requirement, Selector } from "../model/selector.ts";
import { requirements } from "../model/selector.ts";
import { isLabelKey, isLabelValue } from "../model/syntax.ts";

/** Peer fields from before v0.1.3 of the API; the server prunes them and is left with `namespaces: {}`. */
const oldShape = new Set(["namespaceSelector", "sameLabels", "notSameLabels"]);

export function readSelector(field: Field): Selector | null {
  const selector = field.coded("InvalidSelector");
  if (!selector.object()) return null;
  const pure = refuseOthers(selector, ["matchLabels", "matchExpressions"]);
  const labels = readMatchLabels(selector.at("matchLabels"));
  const expressions = readExpressions(selector.at("matchExpressions"));
  if (!pure || labels === null || expressions === null) return null;
  return requirements([...labels, ...expressions]);
}

function refuseOthers(field: Field, known: readonly string[]): boolean {
  const others = field.others(known);
  for (const name of others) {
    const origin = oldShape.has(name)
      ? "is from before v0.1.3 of the API"
      : "is not a field of a label selector";
    field.at(name).error(`${origin}; without it the selector would select more than intended`);
  }
  return others.length === 0;
}

function readMatchLabels(field: Field): readonly Requirement[] | null {
  if (!field.present) return [];
  if (!field.object()) return null;
  const named = field.names().map((key) => {
    const entry = field.at(key);
    const value = readValue(entry);
    if (!isLabelKey(key)) return entry.error("the key is not a valid label key");
    return value === null ? null : ({ operator: "In", key, values: [value] } as const);
  });
  const good = named.filter((requirement) => requirement !== null);
  return good.length === named.length ? good : null;
}

function readExpressions(field: Field): readonly Requirement[] | null {
  if (!field.present) return [];
  const items = field.list(0, Infinity);
  return items && readAll(items, readExpression);
}

function readExpression(field: Field): Requirement | null {
  if (!field.object()) return null;
  const pure = refuseOthers(field, ["key", "operator", "values"]);
  const key = readKey(field.at("key"));
  const operator = field.at("operator").string();
  if (operator === null) return null;
  switch (operator) {
    case "In":
    case "NotIn": {
      const values = readValues(field.at("values"), operator);
      return !pure || key === null || values === null ? null : { operator, key, values };
    }
    case "Exists":
    case "DoesNotExist":
      return !noValues(field.at("values"), operator) || !pure || key === null ? null : { operator, key };
    default:
      return field
        .at("operator")
        .error(`must be In, NotIn, Exists or DoesNotExist, not ${field.at("operator").quoted}`);
  }
}

/** An empty list counts as absent. */
function noValues(field: Field, operator: string): boolean {
  if (!field.present) return true;
  const items = field.list(0, Infinity);
  if (items === null || items.length === 0) return items !== null;
  field.error(`must not be given with ${operator}`);
  return false;
}

function readKey(field: Field): string | null {
  const key = field.string();
  if (key === null || isLabelKey(key)) return key;
  return field.error(`${field.quoted} is not a valid label key`);
}

function readValues(field: Field, operator: string): readonly string[] | null {
  if (!field.present) return field.error(`must be given with ${operator}`);
  const items = field.list(1, Infinity);
  return items && readAll(items, readValue);
}

function readValue(field: Field): string | null {
  const value = field.string();
  if (value === null || isLabelValue(value)) return value;
  return field.error(`${field.quoted} is not a valid label value`);
}
