// Lines of answers: what a reader writes is read as it is, and anything else is no line, whatever it is.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { ip } from "../../../test/support/facts.ts";
import type { SeenEvent } from "../decode/event.ts";
import { longestAnswer, parseAnswer } from "./answer-line.ts";

const event: SeenEvent = {
  ...{ time: "2026-01-01T12:00:00.000Z", verdict: "dropped", connection: "new" },
  ...{
    from: { ip: ip("10.0.0.1"), pod: { namespace: "shop", name: "web" } },
    to: { ip: ip("fd00::2"), pod: null },
  },
  ...{ protocol: "tcp", sourcePort: 40_000, port: 80, icmp: null, isReply: false, number: 7 },
  rule: {
    policy: { group: "policy.networking.k8s.io", kind: "AdminNetworkPolicy", namespace: null, name: "deny" },
    ...{ direction: "ingress", rule: 2, action: "deny", word: "Deny" },
  },
};
const rule = event.rule!;

test.each<SeenEvent>([
  event,
  { ...event, verdict: null, rule: null, isReply: null },
  { ...event, protocol: "icmp", sourcePort: null, port: null, icmp: { type: 8, code: 0 } },
  { ...event, protocol: 89, connection: "established" },
  ...(["default", "isolation", null] as const).map((place) => ({ ...event, rule: { ...rule, rule: place } })),
])("an event is read as it was written: %#", (one) => {
  expect(parseAnswer(JSON.stringify({ event: one }))).toEqual({ event: one });
});

test("notes and losses are read, and fields that no reader writes are left out", () => {
  expect(parseAnswer('{"note":"no rows are sampled"}')).toEqual({ note: "no rows are sampled" });
  expect(parseAnswer('{"lost":3}')).toEqual({ lost: 3 });
  expect(parseAnswer(JSON.stringify({ event: { ...event, more: "x" } }))).toEqual({ event });
});

test.each<readonly [string, unknown]>([
  ["from", { ip: "10.0.0.1\u001b[2J", pod: null }],
  ["from", { ip: "10.0.0.300", pod: null }],
  ["to", { ip: "10.0.0.1", pod: { namespace: "a" } }],
  ["protocol", "tcp\n"],
  ["port", -1],
  ["port", "80"],
  ["time", "yesterday"],
  ["time", "2026-01-01"],
  ["verdict", "passing"],
  ["connection", "both"],
  ["icmp", { type: 1 }],
  ["isReply", "no"],
  ["number", 1.5],
  ["rule", { ...rule, direction: "up\n" }],
  ["rule", { ...rule, rule: "all" }],
  ["rule", { ...rule, action: "toString" }],
  ["rule", { ...rule, policy: null }],
  ["rule", { ...rule, word: "x".repeat(2_000) }],
])("an event with another %s is none: %j", (field, value) => {
  expect(parseAnswer(JSON.stringify({ event: { ...event, [field]: value } }))).toBeNull();
  expect(parseAnswer(JSON.stringify({ event: { ...event, [field]: undefined } }))).toBeNull();
});

test("whatever a line is, it is a line of a reader or none", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.anything().map((one) => JSON.stringify({ event: one })),
      ),
      (line) => {
        const read = parseAnswer(line);
        if (read !== null) expect(Object.keys(read)).toHaveLength(1);
      },
    ),
  );
  expect(parseAnswer(`{"note":"${"x".repeat(longestAnswer)}"}`)).toBeNull();
});
