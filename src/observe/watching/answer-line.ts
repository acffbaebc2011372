// A line of what a reader answers, read strictly: the readers of other nodes are asked too, and one of them may be anybody's.

import { parseIp } from "../../model/ip.ts";
import { askedProtocols } from "../../model/protocols.ts";
import type { PodName, SeenEnd, SeenEvent } from "../decode/event.ts";
import { seenVerdicts, verdictOf } from "../decode/event.ts";
import type { ObservedRule } from "../rule.ts";
import type { Fields } from "./json-values.ts";
import { among, numberOf, objectOf, orNull, readLine, textOf, valid } from "./json-values.ts";
import type { AnswerLine } from "./protocol.ts";

/** One that is longer is of no reader. */
export const longestAnswer = 16_384;
const longestText = 1_024;

/** null: a reader writes no such line. */
export function parseAnswer(line: string): AnswerLine | null {
  if (line.length > longestAnswer) return null;
  return readLine(line, ({ event, lost, note }) => {
    if (event !== undefined) return { event: eventOf(objectOf(event)) };
    return lost === undefined ? { note: wordsOf(note) } : { lost: countOf(lost) };
  });
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
  return { ip: valid(parseIp(wordsOf(ip))), pod: orNull(pod, (one) => podOf(objectOf(one))) };
}

function podOf({ namespace, name }: Fields): PodName {
  return { namespace: wordsOf(namespace), name: wordsOf(name) };
}

function ruleOf({ policy, direction, rule, action, word }: Fields): ObservedRule {
  return {
    ...{ policy: refOf(objectOf(policy)), direction: among(direction, ["ingress", "egress"]) },
    rule: orNull(rule, (one) =>
      typeof one === "number" ? countOf(one) : among(one, ["default", "isolation"]),
    ),
    ...{ action: among(action, Object.keys(verdictOf) as ObservedRule["action"][]), word: wordsOf(word) },
  };
}

function refOf({ group, kind, namespace, name }: Fields): ObservedRule["policy"] {
  return {
    ...{ group: wordsOf(group), kind: wordsOf(kind) },
    ...{ namespace: orNull(namespace, textOf), name: wordsOf(name) },
  };
}

function timeOf(value: unknown): string {
  const text = wordsOf(value);
  const ms = Date.parse(text);
  return valid(!Number.isNaN(ms) && new Date(ms).toISOString() === text ? text : null);
}

function countOf(value: unknown): number {
  const count = numberOf(value);
  return valid(Number.isSafeInteger(count) && count >= 0 ? count : null);
}

function wordsOf(value: unknown): string {
  const text = textOf(value);
  return valid(text.length <= longestText ? text : null);
}
