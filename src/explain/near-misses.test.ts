// What nearly matches, in words: the part that fails, the requirement of it, and what is there instead.

import { describe, expect, test } from "@jest/globals";
import { allow, answered, deny } from "../../test/support/asked-world.ts";
import { anp, namespacesWith, podsWith } from "../../test/support/policies.ts";
import type { Question } from "./question.ts";

describe("what nearly matches", () => {
  const miss = (rule: unknown, question: Partial<Question> = {}) => {
    const [near] = answered([anp("p", { egress: [rule] })], question).egress?.near ?? [];
    return near === undefined ? null : `${near.part}: wants ${near.wanted}, has ${near.has}`;
  };
  const some = (to: unknown, ports?: unknown) => ({ action: "Deny", to: [to], ...(ports ? { ports } : {}) });
  const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });

  test.each<readonly [unknown, string | null, Partial<Question>?]>([
    [some(namespacesWith({ tenant: "red" })), "peer: wants namespace tenant=red, has blue"],
    [some(namespacesWith({ zone: "z" })), "peer: wants namespace zone=z, has none (blue)"],
    [some(podsWith({ tenant: "blue" }, { app: "web" })), "peer: wants pod app=web, has db"],
    [
      some({
        namespaces: { matchExpressions: [{ key: "tenant", operator: "NotIn", values: ["blue", "x"] }] },
      }),
      "peer: wants namespace tenant not in (blue, x), has blue",
    ],
    [some({ networks: ["10.1.0.0/16"] }), "peer: wants 10.1.0.0/16, has 10.0.0.2"],
    [some({ nodes: {} }), "peer: wants a node, has 10.0.0.2, which is no node's"],
    [
      some({ nodes: { matchLabels: { role: "core" } } }),
      "peer: wants node role=core, has edge",
      { to: "172.18.0.2" },
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [tcp(443), tcp(81), tcp(8080)]),
      "port: wants tcp 81, has tcp 80",
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [{ portRange: { protocol: "TCP", start: 90, end: 99 } }]),
      "port: wants tcp 90-99, has tcp 80",
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [{ portNumber: { protocol: "UDP", port: 80 } }]),
      "protocol: wants udp 80, has tcp 80",
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [{ namedPort: "http" }]),
      'port: wants port "http", which the destination does not declare, has tcp 80',
    ],
    [
      some(namespacesWith({ tenant: "red" }), [{ namedPort: "http" }]),
      'port: wants port "http", which is tcp 8080 there, has tcp 80',
      { from: "blue/db-0", to: "red/web" },
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [tcp(80)]),
      "protocol: wants tcp 80, has icmp",
      { protocol: "icmp", port: null },
    ],
    // Two parts are wrong.
    [some(namespacesWith({ tenant: "red" }), [tcp(81)]), null],
  ])("%j", (rule, told, question = {}) => {
    expect(miss(rule, question)).toBe(told);
  });

  test("a rule of another pod's policy does not", () => {
    const other = anp("p", { subject: namespacesWith({ tenant: "blue" }), egress: [some({ nodes: {} })] });
    expect(answered([other]).egress?.near).toEqual([]);
  });

  test("those that would change the verdict come first, five at most", () => {
    const rules = [1, 2, 3, 4, 5, 6].map((port) => ({ ...allow, ports: [tcp(port)] }));
    const { egress } = answered([anp("p", { egress: [...rules, { ...deny, ports: [tcp(7)] }] })]);
    expect(egress?.near?.map(({ rule }) => rule?.index)).toEqual([6, 0, 1, 2, 3]);
  });
});
