// Events: the documented reasons and texts, and an event for every policy of an occupied priority.

import { expect, test } from "@jest/globals";
import { allDuplicates, problemEvents, unmatchedPorts } from "./policy-events.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import { anp } from "../../test/support/policies.ts";
import type { PolicySpec } from "../../test/support/policies.ts";
import { recordOf } from "../../test/support/records.ts";

function record(name: string, spec: PolicySpec, logging: string | null = null): PolicyRecord {
  return recordOf(anp(name, spec, logging));
}

test("an unsupported priority has the documented reason and text", () => {
  const low = record("low", { priority: 100 });
  expect(problemEvents(low, low.problems)).toEqual([
    {
      type: "Warning",
      reason: "ANPWithUnsupportedPriority",
      message:
        "This ANP low has an unsupported priority 100; Please update the priority to a value between " +
        "0(highest priority) and 99(lowest priority)",
    },
  ]);
});

test("findings that leave a policy otherwise than written are told in the same style", () => {
  const strange = record("x", { ingress: [{ action: "Deny", from: [{ galaxies: {} }] }] }, '{"deny":"loud"}');
  expect(
    problemEvents(strange, strange.problems)
      .map(({ reason }) => reason)
      .sort(),
  ).toEqual(["ANPWithInvalidLogging", "ANPWithUnknownPeer"]);
  const broken = record("x", { subject: {} });
  expect(problemEvents(broken, broken.problems)[0]?.reason).toBe("ANPWithInvalidSpec");
});

test("every policy at an occupied priority is told of another there, whoever came first", () => {
  const [a, b, c] = [
    record("a", { priority: 7 }),
    record("b", { priority: 7 }),
    record("c", { priority: 8 }),
  ];
  const told = allDuplicates([c, b, a]);
  expect(told.map(({ record: { object }, event }) => [object.name, event.message])).toEqual([
    [
      "a",
      "This ANP a has a conflicting priority with ANP b:Please verify your rules are non-lapping between all " +
        "policies at same priority to avoid undefined behavior",
    ],
    [
      "b",
      "This ANP b has a conflicting priority with ANP a:Please verify your rules are non-lapping between all " +
        "policies at same priority to avoid undefined behavior",
    ],
  ]);
});

test("a named port that nothing has is told with its place", () => {
  const [advice] = unmatchedPorts(record("p", {}), [
    { direction: "egress", index: 3, name: 'we"b\u001b[31m' },
  ]);
  expect(advice?.part).toEqual({ kind: "rule", direction: "egress", index: 3, field: "ports" });
  const { event } = advice ?? {};
  expect(event?.reason).toBe("ANPWithUnmatchedNamedPort");
  expect(event?.message).toContain("egress rule 3");
  expect(event?.message).not.toContain("\u001b");
});
