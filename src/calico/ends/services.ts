// `services` of one side of a rule: the endpoints of a Service. They are not followed yet, so that such a rule is closed.

import type { Field } from "../../model/reader.ts";
import { isDnsLabel } from "../../model/syntax.ts";
import type { Reading } from "../reading.ts";

/** Where a side is: in a rule of the direction, the peer's or the own one. */
export interface SidePlace {
  readonly isEgress: boolean;
  readonly isPeer: boolean;
  /** Whether the rule allows. */
  readonly isAllow: boolean;
}

const never = ["selector", "notSelector", "namespaceSelector", "nets", "notNets", "serviceAccounts"];
const ports = ["ports", "notPorts"];

/** Whether the field is absent, or as the API wants it. */
export function closeServices(side: Field, { isEgress, isPeer }: SidePlace, reading: Reading): boolean {
  const field = side.at("services");
  if (!field.present) return true;
  const before = field.findings;
  if (!field.object()) return false;
  if (!isPeer) field.error("must only be the destination of an egress rule or the source of an ingress rule");
  for (const other of isEgress ? [...never, ...ports] : never)
    if (side.has(other)) field.error(`must not be beside ${other}`);
  readName(field.at("name"));
  const namespace = field.at("namespace");
  if (namespace.present && namespace.raw !== "") readName(namespace);
  else if (reading.namespace === null) field.error("must have a namespace in a GlobalNetworkPolicy");
  if (field.findings > before) return false;
  reading.closeUnknown(field, ["name", "namespace"]);
  reading.close(field, "the endpoints of Services are not followed yet");
  return true;
}

function readName(field: Field): void {
  const name = field.string();
  if (name !== null && !isDnsLabel(name)) field.error(`${field.quoted} is not a valid name`, "InvalidName");
}
