// The lists of policies and rules: their order is the judge's, each with its state and its subjects, and the rules of a pod
// are those that decide about it.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { ip, namespace, node, pod, workload } from "../../test/support/facts.ts";
import { connectionsIn, factsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { anp, banp, cnp, namespacesWith, np } from "../../test/support/policies.ts";
import { everyDialect } from "../dialects.ts";
import { FactStore } from "../model/fact-store.ts";
import type { WorldObject } from "../model/object.ts";
import { offlineModel } from "../nbdb/tools/rendered.ts";
import { judge } from "../policy/evaluate.ts";
import { directions } from "../policy/ir.ts";
import type { AskedOptions } from "./asked.ts";
import { AskedWorld } from "./asked.ts";
import type { ListedRule } from "./overview.ts";
import { listPolicies, listRules, podOverview, rulesOfPod } from "./overview.ts";

const web = pod("red", "web", { node: "n1", ips: ["10.0.0.1"] });
const facts = [
  namespace("red", { tenant: "red" }),
  namespace("blue", {}),
  node("n1", {}, ["172.18.0.2"]),
  web,
];
const every1 = [{ namespaces: {} }];
const deny = { action: "Deny", from: every1 };

function listed(
  objects: readonly WorldObject[],
  later: readonly WorldObject[] = [],
  more: Partial<AskedOptions> = {},
) {
  const mode = { zone: null, namedPorts: "list" } as const;
  const all = [...facts, ...objects];
  const model = offlineModel({ objects: all, dialects: everyDialect.dialects, families: null, mode });
  model.observe(later);
  const options = { dialects: everyDialect.dialects, placeOf: () => null, objects: all, ...more };
  const asked = new AskedWorld(model, options);
  return { asked, policies: listPolicies(asked, model.membership) };
}

test("a policy about a workload alone is in force, and its rules are shown for the workload", () => {
  const policy = np("web", { podSelector: { matchLabels: { app: "web" } }, ingress: [{}] }, "red");
  const web2 = workload("red", "web", { labels: { app: "web" } });
  const { policies } = listed([policy]);
  expect(policies).toMatchObject([{ subjects: 0, workloads: 0, state: "inert" }]);
  const { policies: counted, asked } = listed([policy], [], { workloads: [web2] });
  expect(counted).toMatchObject([{ subjects: 0, workloads: 1, state: "in force" }]);
  const shown = podOverview(asked, "red/deploy/web");
  expect(shown).toMatchObject({ pod: "red/web (Deployment)", node: null, ips: [], exempt: false });
  expect(shown.ingress.map(({ rule }) => rule?.index ?? "isolation")).toEqual([0, "isolation"]);
});

test("policies in the order of evaluation, refused ones where they would stand, each with its state", () => {
  const { policies } = listed([
    banp({ ingress: [deny] }),
    cnp("late", { priority: 0, ingress: [deny] }),
    np("isolating", { podSelector: {} }, "red"),
    np("elsewhere", { podSelector: {} }, "blue"),
    anp("second", { priority: 5, ingress: [deny, deny], egress: [{ action: "Allow", to: every1 }] }),
    anp("first", { priority: 4, ingress: [deny] }),
    anp("refused", { priority: 5, ingress: [{ action: "Nonsense", from: every1 }] }),
    anp("nothing", { priority: 6, ingress: [{ action: "Allow", from: [{ galaxies: {} }] }] }),
    anp("nobody", { priority: 7, subject: namespacesWith({ tenant: "none" }), ingress: [deny] }),
  ]);
  expect(
    policies.map(({ order, tier, priority, policy, subjects, rules, state }) =>
      [order, tier, priority, policy.name, subjects, `${rules.ingress}/${rules.egress}`, state].join(" "),
    ),
  ).toEqual([
    "1 admin 4 first 1 1/0 in force",
    "2 admin 5 second 1 2/1 in force",
    "3 admin 5 refused  0/0 refused",
    "4 admin 6 nothing 1 1/0 inert",
    "5 admin 7 nobody 0 1/0 inert",
    "6 admin 0 late 1 1/0 in force",
    "7 namespaced  isolating 1 0/0 in force",
    "8 namespaced  elsewhere 0 0/0 inert",
    "9 baseline  default 1 1/0 in force",
  ]);
});

test("what a refused edit keeps is in force as it was", () => {
  const before = anp("p", { priority: 4, ingress: [deny] });
  const { policies } = listed(
    [before],
    [{ ...before, spec: { priority: 4, subject: { namespaces: {} }, ingress: "?" } }],
  );
  expect(policies).toMatchObject([
    { policy: { name: "p" }, subjects: 1, rules: { ingress: 1 }, state: "kept" },
  ]);
});

test("rules have the numbers of their policies, and words for what they match", () => {
  const { asked } = listed([
    anp("p", {
      ...{ priority: 4, subject: namespacesWith({ tenant: "red" }) },
      ingress: [{ name: "one", action: "Pass", from: every1, ports: [{ namedPort: "http" }] }],
      egress: [{ action: "Deny", to: [{ networks: ["10.0.0.0/8"] }, { nodes: {} }] }],
    }),
    anp("q", { priority: 5, ingress: [deny] }),
    np("n", { podSelector: {} }, "red"),
  ]);
  expect(listRules(asked)).toMatchObject([
    {
      ...{ order: 1, rule: { direction: "ingress", index: 0, name: "one", action: "pass" } },
      ...{ subject: ["namespaces tenant=red"], peers: ["every namespace"], ports: ['port "http"'] },
    },
    { order: 1, rule: { direction: "egress" }, peers: ["10.0.0.0/8", "nodes"], ports: null },
    { order: 2, rule: { direction: "ingress" }, subject: ["every namespace"] },
  ]);
  const { ingress, egress } = rulesOfPod(asked, web);
  expect(
    ingress.map(({ order, policy, rule }) => `${order} ${policy.kind} ${rule?.index ?? "isolation"}`),
  ).toEqual([
    "1 AdminNetworkPolicy 0",
    "2 AdminNetworkPolicy 0",
    // Its own node may reach it although it is isolated; that is nobody's object.
    "null NorthgateNode 0",
    "null NorthgateNode 1",
    "3 NetworkPolicy isolation",
  ]);
  expect(egress.map(({ order }) => order)).toEqual([1]);
});

const stepName = ({ policy, rule }: Pick<ListedRule, "policy" | "rule">) =>
  `${policy.name} ${rule?.index ?? "isolation"}`;
/** Which of the policies that isolate is named makes no difference. */
const afterName = (text: string) => text.slice(text.indexOf(" ") + 1);

test("whoever decides about a pod is among its rules, and rules that never are about it are not", () => {
  let decided = 0;
  fc.assert(
    fc.property(irWorlds, irPolicies, (drawn, policies) => {
      const store = new FactStore();
      for (const fact of [...factsIn(drawn.world), ...drawn.pods]) store.put(fact);
      const asked = new AskedWorld(
        { facts: store, records: () => [], policies: () => policies },
        { dialects: [], placeOf: () => null },
      );
      for (const connection of connectionsIn(drawn, ip).filter((_, at) => at % 7 === 0)) {
        const judgement = judge(connection, drawn.world, policies);
        for (const direction of directions) {
          const { pod: subject } = direction === "egress" ? connection.from : connection.to;
          if (subject === null) continue;
          const own = rulesOfPod(asked, subject)[direction].map(stepName);
          const met = judgement[direction].steps;
          decided += met.length;
          for (const { policy, rule } of met)
            expect(rule === null ? own.map(afterName) : own).toContain(
              rule === null ? "isolation" : `${policy.ref.name} ${rule.index}`,
            );
        }
      }
    }),
    { numRuns: 40 },
  );
  expect(decided).toBeGreaterThan(20);
});
