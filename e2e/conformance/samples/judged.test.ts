// The judge of what samples name: right and wrong names of every kind, states that follow each other, and what is not judged.

import { expect, test } from "@jest/globals";
import { keyOf } from "../../../src/model/object.ts";
import type { WorldObject } from "../../../src/model/object.ts";
import type { SeenEvent } from "../../../src/observe/decode/event.ts";
import type { ObservedRule } from "../../../src/observe/rule.ts";
import { blue, green, pods, red } from "../../../test/proof/teams.ts";
import { facts } from "../../../test/proof/teams.ts";
import { pod } from "../../../test/support/facts.ts";
import { anp, np } from "../../../test/support/policies.ts";
import type { TimedChange } from "./history.ts";
import { judgeDropped } from "./judged.ts";

const begun = Date.UTC(2026, 10, 29, 1);
const at = (seconds: number) => begun + seconds * 1000;
const { redA, blueA, blueB, greenA } = pods;

const are = (seconds: number, ...objects: readonly WorldObject[]): readonly TimedChange[] =>
  objects.map((object) => ({ atMs: at(seconds), key: keyOf(object), object }));
const goes = (seconds: number, object: WorldObject): TimedChange => ({
  ...{ atMs: at(seconds), key: keyOf(object), object: null },
});

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const policy = anp("edge", {
  ...{ priority: 5, subject: blue },
  ingress: [
    { action: "Allow", from: [red], ports: [tcp(80)] },
    { action: "Deny", from: [red] },
    { action: "Pass", from: [green] },
  ],
  egress: [{ action: "Deny", to: [green] }],
});
const isolating = np("web", { podSelector: {}, policyTypes: ["Ingress"] }, "blue");
const world = [...are(0, ...facts), ...are(0, policy, isolating)];

const rule = (name: string, direction: "ingress" | "egress", place: ObservedRule["rule"]): ObservedRule => ({
  policy: { group: "policy.networking.k8s.io", kind: "AdminNetworkPolicy", namespace: null, name },
  ...{ direction, rule: place, action: "deny", word: "Deny" },
});
const isolation: ObservedRule = {
  policy: { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "blue", name: "" },
  ...{ direction: "ingress", rule: "isolation", action: "deny", word: "Deny" },
};
const end = ({ namespace, name, ips: [ip] }: typeof redA): SeenEvent["from"] => {
  if (ip === undefined) throw new Error("a pod without an address");
  return { ip, pod: { namespace, name } };
};
const seen = (named: ObservedRule | null, more: Partial<SeenEvent> = {}, seconds = 60): SeenEvent => ({
  ...{ time: new Date(at(seconds)).toISOString(), verdict: "dropped", connection: "new" },
  ...{ from: end(redA), to: end(blueB), protocol: "tcp", sourcePort: 40_000, port: 81 },
  ...{ icmp: null, isReply: false, rule: named, number: 1, ...more },
});
const second = rule("edge", "ingress", 1);

test("the rule that decides, whatever its kind, is right, and every other name is wrong", () => {
  const green1 = { from: end(greenA), to: end(blueB) };
  const right = [
    seen(second),
    seen(isolation, green1),
    seen(rule("edge", "egress", 0), { from: end(blueA), to: end(greenA) }),
    // The first one, sent again, and another one.
    ...[seen(second, {}, 61), seen(second, { sourcePort: 40_001 })],
  ];
  expect(judgeDropped(right, world)).toEqual({
    ...{ reported: 5, connections: 4, right: 5, withinChange: 0, wrong: [], notJudged: new Map() },
  });
  const wrong = [
    seen(rule("edge", "ingress", 0)),
    seen(rule("other", "ingress", 1)),
    seen(isolation),
    seen(second, green1),
    seen(null),
    seen(second, { port: 80 }),
    // The source's side has dropped it already.
    seen(isolation, { from: end(blueA), to: end(greenA) }),
    seen(second, { from: { ...end(redA), pod: { namespace: "red", name: "b" } } }),
    seen(second, { from: { ...end(redA), pod: null } }),
  ];
  const { reported, right: rightOnes, wrong: complaints } = judgeDropped(wrong, world);
  expect([reported, rightOnes]).toEqual([9, 0]);
  const [of, to] = ["2026-11-29T01:01:00.000Z new", "→ blue/b (10.0.2.17) tcp 40000"];
  const redToBlue = `${of} red/a (10.0.1.16) ${to}`;
  expect(complaints).toEqual([
    `${redToBlue} 81: named AdminNetworkPolicy edge ingress[0], but decided by AdminNetworkPolicy edge ingress[1]`,
    `${redToBlue} 81: named AdminNetworkPolicy other ingress[1], but decided by AdminNetworkPolicy edge ingress[1]`,
    `${redToBlue} 81: named NetworkPolicy blue ingress isolation, but decided by AdminNetworkPolicy edge ingress[1]`,
    `${of} green/a (10.0.1.18) ${to} 81: named AdminNetworkPolicy edge ingress[1], but decided by NetworkPolicy blue ingress isolation`,
    `${redToBlue} 81: named no rule, but decided by AdminNetworkPolicy edge ingress[1]`,
    `${redToBlue} 80: named AdminNetworkPolicy edge ingress[1], but decided by no rule`,
    `${of} blue/a (10.0.1.17) → green/a (10.0.1.18) tcp 40000 81: named NetworkPolicy blue ingress isolation, but decided by AdminNetworkPolicy edge egress[0]`,
    `${of} red/b (10.0.1.16) ${to} 81: named AdminNetworkPolicy edge ingress[1], but its addresses are those of other pods`,
    `${of} 10.0.1.16 ${to} 81: named AdminNetworkPolicy edge ingress[1], but its addresses are those of other pods`,
  ]);
});

test("a name of a state that has just ended, or that begins, is right, and counted apart; one of long ago is wrong", () => {
  const window = { beforeMs: 5_000, afterMs: 1_500 };
  const edited = anp("edge", { priority: 5, subject: blue, ingress: [{ action: "Deny", from: [red] }] });
  const changes = [...world, ...are(100, edited), goes(200, edited)];
  const first = rule("edge", "ingress", 0);
  const judged = (name: ObservedRule, seconds: number) => {
    const { right, withinChange, wrong } = judgeDropped([seen(name, {}, seconds)], changes, window);
    return right === 0 ? `wrong ${wrong.length}` : `right ${withinChange}`;
  };
  expect([98, 99, 100, 104, 106].map((seconds) => judged(second, seconds))).toEqual([
    ...["right 0", "right 1", "right 1", "right 1", "wrong 1"],
  ]);
  expect([98, 99, 100, 104, 106, 204, 206].map((seconds) => judged(first, seconds))).toEqual([
    ...["wrong 1", "right 1", "right 1", "right 1", "right 0", "right 1", "wrong 1"],
  ]);
});

test("the two sides may be of two states of the window", () => {
  const egress = anp("out", { priority: 1, subject: red, egress: [{ action: "Deny", to: [blue] }] });
  // At 60 s both go: the source's side may be programmed first.
  const changes = [...world, ...are(30, egress), goes(60, egress), goes(60, policy), goes(60, isolating)];
  expect(judgeDropped([seen(second)], changes)).toMatchObject({ right: 1, withinChange: 1 });
  expect(judgeDropped([seen(second, {}, 50)], changes)).toMatchObject({ right: 0 });
});

test("an address that goes over to another pod has the names of both within the change alone", () => {
  const next = pod("red", "next", { ips: redA.ips });
  const changes = [...world, goes(100, redA), ...are(101, next)];
  const renamed = { from: { ...end(redA), pod: { namespace: "red", name: "next" } } };
  const rights = ([name, seconds]: readonly [Partial<SeenEvent>, number]) =>
    judgeDropped([seen(second, name, seconds)], changes).right;
  expect(
    [
      [{}, 99] as const,
      [{}, 101] as const,
      [{}, 110] as const,
      [renamed, 90] as const,
      [renamed, 110] as const,
    ].map(rights),
  ).toEqual([1, 1, 0, 0, 1]);
});

test("what cannot be judged is counted by its reason", () => {
  const equal = anp("equal", { priority: 5, subject: blue, ingress: [{ action: "Deny", from: [red] }] });
  const outside = { ip: end(redA).ip, pod: null };
  const gone = [goes(50, redA)];
  expect(
    judgeDropped([seen(second, { isReply: true }), seen(second, { from: outside, to: outside })], world),
  ).toMatchObject({
    ...{ reported: 2, right: 0, wrong: [] },
    notJudged: new Map([
      ["an answer", 1],
      ["neither end is a pod", 1],
    ]),
  });
  expect(judgeDropped([seen(second)], [...world, ...gone]).notJudged).toEqual(
    new Map([["its pods were not there together", 1]]),
  );
  expect(judgeDropped([seen(second)], [...world, ...are(1, equal)])).toMatchObject({
    ...{ right: 0, wrong: [], notJudged: new Map([["two policies of one priority decide it", 1]]) },
  });
});
