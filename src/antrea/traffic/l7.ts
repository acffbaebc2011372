// `l7Protocols`: nothing here looks into connections. What such a rule matches would be dropped unless it were understood,
// so all of it is dropped.

import type { Field } from "../../model/reader.ts";
import type { Reading } from "../reading.ts";

/** `rule` has l7Protocols. Whether the entries are as the API wants them. */
export function readL7Protocols(rule: Field, isAllow: boolean, reading: Reading): boolean {
  const field = rule.at("l7Protocols");
  const items = field.list(0, Infinity);
  if (items === null) return false;
  if (!isAllow) field.error("must only be in a rule that allows");
  for (const item of items) item.object();
  const isHttp = items.some((item) => item.has("http"));
  const other = rule
    .at("ports")
    .items()
    .map((port) => port.at("protocol"))
    .find((protocol) => protocol.present && protocol.raw !== "TCP");
  const noTcp = other ?? (rule.at("protocols").items().length > 0 ? rule.at("protocols") : undefined);
  if (isHttp && noTcp !== undefined) noTcp.error("must not be beside http, which is over TCP");
  reading.close(field, "the content of connections is not inspected here, so the rule drops what it matches");
  return true;
}
