// `protocol`, `notProtocol` and `ipVersion` of a rule → IANA numbers and a family.

import type { IpFamily } from "../../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../model/protocols.ts";
import type { Field } from "../../model/reader.ts";
import type { Protocol } from "../../model/facts.ts";

const names: ReadonlyMap<unknown, number> = new Map([
  ["TCP", protocolNumbers.tcp],
  ["UDP", protocolNumbers.udp],
  ["SCTP", protocolNumbers.sctp],
  ["ICMP", icmpNumbers.v4],
  ["ICMPv6", icmpNumbers.v6],
  ["UDPLite", 136],
]);

/** All that a packet can have. */
export const everyProtocol: readonly number[] = Array.from({ length: 256 }, (_, number) => number);

/** The protocols that have ports, by their numbers. */
export const transports: ReadonlyMap<number, Protocol> = new Map([
  [protocolNumbers.tcp, "tcp"],
  [protocolNumbers.udp, "udp"],
  [protocolNumbers.sctp, "sctp"],
]);

/** Numbers of protocols; null: any. */
export interface Protocols {
  readonly numbers: readonly number[] | null;
  /** The one that `protocol` says; null: it says none. */
  readonly only: number | null;
}

/** null: an error was reported. */
export function readProtocols(rule: Field): Protocols | null {
  const only = readProtocol(rule.at("protocol"));
  const not = readProtocol(rule.at("notProtocol"));
  if (only === undefined || not === undefined) return null;
  if (only !== null) return { numbers: only === not ? [] : [only], only };
  return { numbers: not === null ? null : everyProtocol.filter((number) => number !== not), only };
}

/** The protocol of a number, of those that have ports; null: it has none. */
export function transportOf(number: number | null): Protocol | null {
  return number === null ? null : (transports.get(number) ?? null);
}

/** null: it is absent; undefined: an error was reported. */
function readProtocol(field: Field): number | null | undefined {
  if (!field.present) return null;
  const { raw } = field;
  const named = names.get(raw);
  if (named !== undefined) return named;
  const number = typeof raw === "string" && /^[1-9]\d{0,2}$/.test(raw) ? Number(raw) : raw;
  if (typeof number === "number" && Number.isInteger(number) && number >= 1 && number <= 255) return number;
  const words = [...names.keys()].join(", ");
  field.error(`must be one of ${words} or a number from 1 to 255, not ${field.quoted}`, "UnknownProtocol");
  return undefined;
}

const families: ReadonlyMap<unknown, IpFamily> = new Map([
  [4, "v4"],
  [6, "v6"],
]);

/** null: any; undefined: an error was reported. */
export function readIpVersion(rule: Field): IpFamily | null | undefined {
  const field = rule.at("ipVersion");
  if (!field.present) return null;
  const family = families.get(field.raw);
  if (family === undefined) field.error(`must be 4 or 6, not ${field.quoted}`);
  else if (!fits(rule, family)) return undefined;
  return family;
}

/** The other family's ICMP must be in neither field: by its name or its number. */
function fits(rule: Field, family: IpFamily): boolean {
  const other = family === "v4" ? icmpNumbers.v6 : icmpNumbers.v4;
  const wrong = ["protocol", "notProtocol"]
    .map((name) => rule.at(name))
    .filter(({ raw }) => (names.get(raw) ?? Number(raw)) === other);
  for (const field of wrong) field.error(`${field.quoted} does not go with the ipVersion of the rule`);
  return wrong.length === 0;
}
