// A line of what a reader answers, read strictly: the readers of other nodes are asked too, and one of them may be anybody's.

import type { IpAddress } from "../../model/ip.ts";
import { parseIp } from "../../model/ip.ts";
import { askedProtocols } from "../../model/protocols.ts";
import type { PodName, SeenEnd, SeenEvent } from "../decode/event.ts";
import { seenVerdicts, verdictOf } from "../decode/event.ts";
import type { ObservedRule } from "../rule.ts";
import type { AnswerLine } from "./protocol.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One that is longer is of no reader. */
export const longestAnswer = 16_384;
const longestText = 1_024;

/** The line is none that a reader writes. */
class Malformed extends Error {}

/** null: a reader writes no such line. */
export function parseAnswer(line: string): AnswerLine | null {
  if (line.length > longestAnswer) return null;
  try {
    const { event, lost, note } = objectOf(JSON.parse(line));
    if (event !== undefined) return { event: eventOf(objectOf(event)) };
    return lost === undefined ? { note: textOf(note) } : { lost: countOf(lost) };
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return null;
    throw error;
  }
}

function eventOf(fields: Fields): SeenEvent {
  const { time, verdict, connection, from, to, protocol, sourcePort, port, icmp, isReply, rule, number } =
    fields;
  return {
    time: timeOf(time),
    verdict: orNull(verdict, (one) => among(one, seenVerdicts)),
    connection: among(connection, ["new", "established"]),
    ...{ from: endOf(objectOf(from)), to: endOf(objectOf(to)) },
    protocol: typeof protocol === "number" ? countOf(protocol) : among(protocol, askedProtocols),
    ...{ sourcePort: orNull(sourcePort, countOf), port: orNull(port, countOf) },
    icmp: orNull(icmp, (one) => {
      const { type, code } = objectOf(one);
      return { type: countOf(type), code: countOf(code) };
    }),
    isReply: orNull(isReply, (one) => among(one, [true, false])),
    ...{ rule: orNull(rule, (one) => ruleOf(objectOf(one))), number: countOf(number) },
  };
}

function endOf({ ip, pod }: Fields): SeenEnd {
  return { ip: ipOf(ip), pod: orNull(pod, (one) => podOf(objectOf(one))) };
}

function podOf({ namespace, name }: Fields): PodName {
  return { namespace: textOf(namespace), name: textOf(name) };
}

function ruleOf({ policy, direction, rule, action, word }: Fields): ObservedRule {
  return {
    ...{ policy: refOf(objectOf(policy)), direction: among(direction, ["ingress", "egress"]) },
    rule: orNull(rule, (one) =>
      typeof one === "number" ? countOf(one) : among(one, ["default", "isolation"]),
    ),
    ...{ action: among(action, Object.keys(verdictOf) as ObservedRule["action"][]), word: textOf(word) },
  };
}

function refOf({ group, kind, namespace, name }: Fields): ObservedRule["policy"] {
  return {
    ...{ group: textOf(group), kind: textOf(kind) },
    ...{ namespace: orNull(namespace, textOf), name: textOf(name) },
  };
}

function timeOf(value: unknown): string {
  const text = textOf(value);
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== text) throw new Malformed();
  return text;
}

function ipOf(value: unknown): IpAddress {
  const ip = parseIp(textOf(value));
  if (ip === null) throw new Malformed();
  return ip;
}

function countOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new Malformed();
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== "string" || value.length > longestText) throw new Malformed();
  return value;
}

function among<T>(value: unknown, values: readonly T[]): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw new Malformed();
  return found;
}

function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === null ? null : read(value);
}

function objectOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Malformed();
  return value as Fields;
}
