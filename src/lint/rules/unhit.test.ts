// NG030, case by case: what was never hit on all nodes that count it, and what is not judged.

import { expect, test } from "@jest/globals";
import { namespace, node, pod } from "../../../test/support/facts.ts";
import { found, reportOf } from "../../../test/support/linted.ts";
import { anp } from "../../../test/support/policies.ts";
import type { Ref } from "../../analysis/ref.ts";
import type { NodeCounts } from "../../hits/hits.ts";
import { Hits, keyOfPlace } from "../../hits/hits.ts";
import { everyDialect } from "../../dialects.ts";
import { offlineModel } from "../../nbdb/tools/rendered.ts";
import { hitsNotes } from "./unhit.ts";

const all = { namespaces: {} };
const hour = 3_600;
const now = 1_800_000_000;
const policy: Ref = {
  group: "policy.networking.k8s.io",
  kind: "AdminNetworkPolicy",
  namespace: null,
  name: "p",
};
const port = (number: number) => [{ portNumber: { protocol: "TCP", port: number } }];
const objects = [
  ...[namespace("shop"), node("n1", {}, ["172.18.0.1"]), node("n2", {}, ["172.18.0.2"])],
  pod("shop", "web-0", { ips: ["10.0.0.2"] }),
  anp("p", {
    ingress: [
      { action: "Allow", from: [all], ports: port(1) },
      { action: "Deny", from: [all], ports: port(2) },
      { action: "Pass", from: [all], ports: port(3) },
      { action: "Deny", from: [all] },
    ],
  }),
];

/** Counts of ingress rules: index, action, packets, and since when, in seconds before now. */
function counts(name: string, ...rules: readonly (readonly [number, string, number, number])[]): NodeCounts {
  return {
    ...{ node: name, readAt: now, leftOut: 0 },
    rules: new Map(
      rules.map(([index, action, packets, ago]) => [
        keyOfPlace(policy, "ingress", index),
        new Map([[action, { packets, bytes: 0, since: now - ago }]]),
      ]),
    ),
  };
}
const of = (...nodes: readonly NodeCounts[]) => found(objects, ["NG030"], { hits: new Hits(nodes) });
const both = (...rules: Parameters<typeof counts> extends [string, ...infer R] ? R : never) => [
  counts("n1", ...rules),
  counts("n2", ...rules),
];

test("without counts nothing is found", () => {
  expect(found(objects, ["NG030"])).toEqual([]);
  expect(of(...both())).toEqual([]);
});

test("a rule is never hit where no node has a packet, and each has counted for an hour", () => {
  expect(of(...both([0, "allow", 0, hour], [1, "deny", 0, 2 * hour], [2, "pass", 1, hour]))).toEqual([
    ...["NG030 info p ingress[0]", "NG030 info p ingress[1]"],
  ]);
  expect(of(counts("n1", [0, "allow", 0, hour]), counts("n2", [0, "allow", 1, hour]))).toEqual([]);
  expect(of(counts("n1", [0, "allow", 0, 9 * hour]), counts("n2", [0, "allow", 0, hour - 1]))).toEqual([]);
  expect(of(counts("n1", [0, "allow", 0, hour]), counts("n2"))).toEqual(["NG030 info p ingress[0]"]);
});

test("a rule that closes its policy, and one with another action than the counted one, are not reported", () => {
  expect(of(...both([3, "deny", 0, hour], [0, "deny", 0, hour]))).toEqual([]);
});

test("what is reported says since when, on which nodes, and whose counts are missing", () => {
  const hits = new Hits([counts("n1", [0, "allow", 0, hour], [1, "deny", 0, hour])]);
  const choice = { only: new Set(["NG030"]), skip: new Set<string>() };
  const said = reportOf(objects, { hits, choice }).findings.map(({ message, fix }) => [message, fix]);
  const message =
    "no packet has met it since 2027-01-15T07:00:00Z, on 1 node that counts it; the counts of 1 node were not given";
  expect(said).toEqual([
    [message, "delete it if nothing needs it: what connects once a month may not have come yet"],
    [message, "keep it if it is there for what must not happen"],
  ]);
});

test("what is not judged is said in numbers", () => {
  const mode = { zone: null, namedPorts: "list" } as const;
  const policies = offlineModel({
    objects,
    dialects: everyDialect.dialects,
    families: null,
    mode,
  }).policies();
  const young = both([0, "allow", 0, 60], [1, "deny", 3, 60]);
  expect(hitsNotes(new Hits(young), policies)).toEqual([
    "2 rules not counted: NG030 does not judge them",
    "1 rule without a packet, counted for less than an hour: NG030 does not judge it",
  ]);
  const whole = both([0, "allow", 1, hour], [1, "deny", 0, hour], [2, "pass", 0, hour], [3, "deny", 0, hour]);
  expect(hitsNotes(new Hits(whole), policies)).toEqual([]);
});
