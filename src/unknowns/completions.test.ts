// The worlds that unknown labels leave open, against every completion of them by brute force: the verdicts of the one are those
// of the other, no more and no fewer. And what the objects prove of namespaces that nobody has read.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { ip, namespace, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import { connectionsIn, irPolicies, irPolicy, irWorlds, sameNamespaces } from "../../test/support/ir.ts";
import { everyLabelling, unreadIn } from "../../test/support/labellings.ts";
import { np } from "../../test/support/policies.ts";
import { everything, negated, requirements } from "../model/selector.ts";
import type { Connection, World } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy } from "../policy/ir.ts";
import { outcomesOn } from "../policy/ties.ts";
import { completionsOf } from "./completions.ts";
import { namespaceNameLabel, provenNamespaces, unreadNamespace } from "./namespaces.ts";

function verdictsIn(worlds: readonly World[], connection: Connection, policies: readonly Policy[]) {
  const texts = worlds.map((world) => {
    const { egress, ingress } = judge(connection, world, policies);
    const open = (["egress", "ingress"] as const).map((direction) =>
      [...outcomesOn(direction, connection, world, policies).verdicts].sort(),
    );
    return JSON.stringify([egress.verdict, ingress.verdict, ...open]);
  });
  return [...new Set(texts)].sort();
}

test("the worlds have the verdicts of all completions of unknown labels, and no other", () => {
  let open = 0;
  let differing = 0;
  fc.assert(
    fc.property(irWorlds, irPolicies, fc.nat(), (drawn, policies, pick) => {
      const { world, pods } = unreadIn(drawn, ["red", "blue", "green"]);
      const connections = connectionsIn({ world, pods }, ip);
      const asked = connections.filter((_, at) => at % 7 === pick % 7).slice(0, 12);
      for (const connection of asked) {
        const found = completionsOf(connection, world, policies);
        expect(found?.worlds).not.toBeNull();
        const expected = verdictsIn(everyLabelling(connection, world), connection, policies);
        expect(verdictsIn(found?.worlds ?? [world], connection, policies)).toEqual(expected);
        if (found !== null) open++;
        if (expected.length > 1) differing++;
      }
    }),
    { numRuns: 100 },
  );
  // A property of worlds in which no label matters would prove nothing.
  expect(open).toBeGreaterThan(100);
  expect(differing).toBeGreaterThan(30);
});

describe("what is asked", () => {
  const [web, db] = [pod("shop", "web", { ips: ["10.0.0.1"] }), pod("bank", "db", { ips: ["10.0.0.2"] })];
  const connection: Connection = {
    ...{ from: { ip: ip("10.0.0.1"), pod: web }, to: { ip: ip("10.0.0.2"), pod: db } },
    ...{ protocol: "tcp", port: 80 },
  };
  const world: World = {
    ...{ nodes: [], hostNames: [] },
    namespaces: new Map([
      ["shop", unreadNamespace("shop")],
      ["bank", unreadNamespace("bank")],
    ]),
  };
  const askedBy = (...policies: readonly Policy[]) => completionsOf(connection, world, policies);
  const about = (namespaces = everything) => [podGroup(namespaces)];

  test("is nothing where the name alone says who is selected", () => {
    const named = requirements([{ operator: "In", key: namespaceNameLabel, values: ["shop"] }]);
    expect(askedBy(irPolicy("p", { subject: about(named), egress: [{ action: "deny" }] }))).toBeNull();
  });

  test("is no label of a rule that does not match otherwise", () => {
    const peers = about(withLabels({ tenant: "x" }));
    const ports = [{ kind: "port", protocol: "tcp", port: 81 }] as const;
    expect(askedBy(irPolicy("p", { egress: [{ peers, ports }] }))).toBeNull();
    const elsewhere = about(requirements([{ operator: "In", key: namespaceNameLabel, values: ["other"] }]));
    expect(askedBy(irPolicy("p", { subject: elsewhere, egress: [{ peers }] }))).toBeNull();
  });

  test("is told by namespace, with the parts that ask", () => {
    const policy = irPolicy("p", { egress: [{}, { peers: about(withLabels({ tenant: "x", zone: "y" })) }] });
    const asked = askedBy(policy);
    expect(asked?.unknown).toEqual(new Map([["bank", ["tenant", "zone"]]]));
    expect(asked?.parts).toEqual([{ policy, direction: "egress", rule: policy.rules.egress[1] }]);
    // Selected or not.
    expect(asked?.worlds).toHaveLength(2);
  });

  test("a selector and its opposite are one question", () => {
    const tenant = withLabels({ tenant: "x" });
    const asked = askedBy(
      irPolicy("p", { egress: [{ peers: about(tenant) }, { peers: about(negated(tenant)) }] }),
    );
    expect(asked?.worlds).toHaveLength(2);
  });

  test("two namespaces that are compared may have equal values, or not", () => {
    const asked = askedBy(irPolicy("p", { egress: [{ peers: [sameNamespaces(["tenant"])] }] }));
    const labels = asked?.worlds?.map(({ namespaces }) =>
      ["shop", "bank"].map((name) => namespaces.get(name)?.labels.get("tenant")),
    );
    expect(labels?.some(([one, other]) => one !== undefined && one === other)).toBe(true);
    expect(labels?.some(([one, other]) => one !== undefined && other !== undefined && one !== other)).toBe(
      true,
    );
  });

  test("too many ways are said to be too many", () => {
    const policies = Array.from({ length: 12 }, (_, at) =>
      irPolicy(`p${at}`, { subject: about(withLabels({ [`k${at}`]: "x" })), egress: [{}] }),
    );
    expect(askedBy(...policies)?.worlds).toBeNull();
  });
});

test("objects in a namespace prove it, unless its Namespace is there", () => {
  const objects = [namespace("a"), pod("a", "p"), pod("b", "p"), np("deny", {}, "c"), pod("b", "q")];
  expect(provenNamespaces(objects)).toEqual([unreadNamespace("b"), unreadNamespace("c")]);
  expect(unreadNamespace("b").labels).toEqual(new Map([["kubernetes.io/metadata.name", "b"]]));
});
