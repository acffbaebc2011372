// `toServices`: connections that used a Service's own address. Rows cannot say that together with the order of the other
// rules, so the rule is closed (docs/antrea.md); what is wrong in an entry is told all the same.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Members } from "./members.ts";
import { openMembers } from "./members.ts";
import type { Reading } from "./reading.ts";
import { readNamespacedName } from "./selectors.ts";

const apart = ["to", "ports", "protocols", "l7Protocols"];

/** `rule` has toServices. */
export function readToServices(rule: Field, reading: Reading): Members | null {
  const field = rule.at("toServices");
  const [other] = apart.filter((name) => rule.at(name).items().length > 0);
  if (other !== undefined) rule.at(other).error("must not be beside toServices");
  const items = field.list(0, Infinity);
  const services = items && readAll(items, (item) => readNamespacedName(item, reading.namespace));
  if (services === null || other !== undefined) return null;
  reading.close(field, "rows cannot say which Service a connection used");
  return openMembers;
}
