// `icmp` and `notICMP` of a rule → types and codes of ICMP.

import type { IpFamily } from "../../model/ip.ts";
import { ipFamilies } from "../../model/ip.ts";
import { icmpNumbers } from "../../model/protocols.ts";
import type { Field } from "../../model/reader.ts";
import type { PortMatch } from "../../policy/ir.ts";
import type { Reading } from "../reading.ts";

const highestType = 254;
const highestCode = 255;

interface Icmp {
  readonly type: number;
  /** null: any. */
  readonly code: number | null;
}

/**
 * What `icmp` and `notICMP` leave of the protocol; null: neither says anything; undefined: an error was reported. `protocol`: the
 * rule's.
 */
export function readIcmp(
  rule: Field,
  protocol: number | null,
  reading: Reading,
): readonly PortMatch[] | null | undefined {
  const only = readOne(rule.at("icmp"), protocol, reading);
  const not = readOne(rule.at("notICMP"), protocol, reading);
  if (only === undefined || not === undefined) return undefined;
  const family = ipFamilies.find((one) => icmpNumbers[one] === protocol);
  if ((only === null && not === null) || family === undefined) return null;
  return matchesOf(family, only, not);
}

/** null: it is absent, or says nothing; undefined: an error was reported. */
function readOne(field: Field, protocol: number | null, reading: Reading): Icmp | null | undefined {
  if (!field.present) return null;
  if (!field.object()) return undefined;
  reading.closeUnknown(field, ["type", "code"]);
  const [type, code] = [field.at("type"), field.at("code")];
  if (!type.present && !code.present) return null;
  if (!type.present) code.error("must not be given without the type");
  const numbers = {
    type: type.present ? type.integer(0, highestType) : null,
    code: code.present ? code.integer(0, highestCode) : null,
  };
  const isIcmp = ipFamilies.some((family) => icmpNumbers[family] === protocol);
  if (!isIcmp) field.error("must not be given without protocol ICMP or ICMPv6");
  if (!isIcmp || numbers.type === null || (code.present && numbers.code === null)) return undefined;
  return { type: numbers.type, code: numbers.code };
}

function matchesOf(family: IpFamily, only: Icmp | null, not: Icmp | null): readonly PortMatch[] {
  if (only === null) return not === null ? [] : [{ kind: "otherIcmp", family, ...not }];
  if (not?.type !== only.type) return [{ kind: "icmp", family, ...only }];
  if (not.code === null || not.code === only.code) return [];
  if (only.code !== null) return [{ kind: "icmp", family, ...only }];
  const others = Array.from({ length: highestCode + 1 }, (_, code) => code).filter(
    (code) => code !== not.code,
  );
  return others.map((code) => ({ kind: "icmp", family, type: only.type, code }));
}
