// `http` of a rule: nothing here looks into connections.

import type { Field } from "../../model/reader.ts";
import { protocolNumbers } from "../../model/protocols.ts";
import type { Reading } from "../reading.ts";

const overTcp: readonly unknown[] = [
  undefined,
  null,
  "TCP",
  protocolNumbers.tcp,
  String(protocolNumbers.tcp),
];

/** Whether it is absent, or where the API wants it. */
export function closeHttp(
  rule: Field,
  { isEgress, isAllow }: { readonly isEgress: boolean; readonly isAllow: boolean },
  reading: Reading,
): boolean {
  const field = rule.at("http");
  if (!field.present) return true;
  const before = field.findings;
  if (isEgress || !isAllow) field.error("must only be in an ingress rule that allows");
  if (!overTcp.includes(rule.at("protocol").raw)) rule.at("protocol").error("must be TCP beside http");
  if (field.findings > before) return false;
  reading.close(field, "the content of connections is not inspected here");
  return true;
}
