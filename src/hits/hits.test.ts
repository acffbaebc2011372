// Counts of several nodes as one answer for a rule: sums, times that hold for all, and why a rule is not counted.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Ref } from "../analysis/ref.ts";
import { readHitsFiles } from "./files.ts";
import type { CountedPlace, NodeCounts } from "./hits.ts";
import { Hits, hitsText, keyOfPlace } from "./hits.ts";

const policy: Ref = { group: "g.io", kind: "Policy", namespace: "web", name: "p" };
const other: Ref = { ...policy, group: "h.io" };

type Counted = readonly [of: Ref, place: CountedPlace, action: string, packets: number, since: number];

function node(name: string, readAt: number, counts: readonly Counted[], leftOut = 0): NodeCounts {
  const rules = Map.groupBy(counts, ([of, place]) => keyOfPlace(of, "ingress", place));
  return {
    ...{ node: name, readAt, leftOut },
    rules: new Map(
      Array.from(rules, ([key, list]) => [
        key,
        new Map(
          list.map(([, , action, packets, since]) => [action, { packets, bytes: packets * 10, since }]),
        ),
      ]),
    ),
  };
}

const rule = (index: number | null, action: "allow" | "deny" = "allow") => ({
  ...{ policy, direction: "ingress" as const, index, action },
});

test("counts of nodes are added, and times hold for all of them", () => {
  const hits = new Hits([
    node("a", 9_000, [
      [policy, 0, "allow", 1_200, 3_600],
      [other, 0, "allow", 7, 1],
    ]),
    node("b", 8_000, [[policy, 0, "allow", 4, 7_200]]),
    node("c", 1_000, []),
  ]);
  expect(hits.of(rule(0))).toEqual({
    ...{ packets: 1_204, bytes: 12_040, nodes: 2 },
    ...{ since: "1970-01-01T01:00:00Z", allSince: "1970-01-01T02:00:00Z", until: "1970-01-01T02:13:20Z" },
  });
  expect(hitsText(hits.of(rule(0)))).toBe("1,204 packets since 1970-01-01T01:00:00Z on 2 nodes");
});

test("no packet since the last node has begun", () => {
  const hits = new Hits([
    node("a", 9, [[policy, 0, "allow", 0, 3]]),
    node("b", 9, [[policy, 0, "allow", 0, 5]]),
  ]);
  expect(hitsText(hits.of(rule(0)))).toBe("no packet since 1970-01-01T00:00:05Z on 2 nodes");
});

test("a rule without a count says why", () => {
  const hits = new Hits([node("a", 9, [[policy, 0, "deny", 5, 3]]), node("b", 9, [])]);
  expect(hitsText(hits.of(rule(1)))).toMatch(
    /^not counted: no packet of the 2 nodes that were read can meet it/,
  );
  expect(hitsText(hits.of(rule(0)))).toMatch(/^not counted: .* with the action deny: the policy was edited$/);
});

test("counts that a reader leaves out may be of any rule that it does not show", () => {
  const whole = node("a", 9, [
    [policy, 0, "allow", 5, 3],
    [policy, 1, "allow", 5, 3],
  ]);
  const hits = new Hits([whole, node("b", 9, [[policy, 0, "allow", 1, 3]], 40)]);
  expect(hits.of(rule(0)).packets).toBe(6);
  expect(hitsText(hits.of(rule(1)))).toBe(
    'not counted: the reader of node "b" leaves out 40 counts, which may be of this rule',
  );
});

test("a denial by default is the policy's own, or that of its namespace", () => {
  const isolation: Counted = [{ ...policy, name: "" }, "isolation", "deny", 20, 3];
  expect(new Hits([node("a", 9, [isolation])]).of(rule(null, "deny")).packets).toBe(20);
  const own: Counted = [policy, "default", "deny", 2, 3];
  expect(new Hits([node("a", 9, [own, isolation])]).of(rule(null, "deny")).packets).toBe(2);
  const nowhere = { ...rule(null, "deny"), policy: { ...policy, namespace: null } };
  expect(new Hits([node("a", 9, [isolation])]).of(nowhere).packets).toBeNull();
});

test("a file is named with its line, and no node may come twice", () => {
  const folder = mkdtempSync(join(tmpdir(), "northgate-hits-"));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const text = [
    'northgate_observed_node_info{node="n"} 1',
    ...["northgate_switch_read_timestamp_seconds 9", "northgate_rule_series_left_out 0", ""],
  ].join("\n");
  const [a, b] = [file("a.prom", text), file("b.prom", text)];
  expect(readHitsFiles([a]).nodes).toEqual(["n"]);
  expect(() => readHitsFiles([a, b])).toThrow(
    `--hits ${b}: is of node n, as ${a} is: give one file for each node`,
  );
  const broken = file("broken.prom", `${text}?\n`);
  expect(() => readHitsFiles([broken])).toThrow(`--hits ${broken}:4: is no line of metrics`);
  expect(() => readHitsFiles([join(folder, "none")])).toThrow(/^--hits .*none: .*ENOENT/);
});
