// A plan serves every dialect that is installed: one that exists in tests only, with a tier of its own and an object of its own
// that its policies refer to, is planned without a change in the product.

import { expect, test } from "@jest/globals";
import { allRead } from "../../src/unknowns/foreign.ts";
import { reportOf } from "../../src/worlds/plan-report.ts";
import type { LoadedWorld } from "../../src/worlds/world.ts";
import type { PlanConfig } from "../../src/config/answers/plan.ts";
import { everyKind } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { both } from "../../src/verdicts/worlds.ts";
import { byDefault } from "../support/backend-config.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { teamKind, toyDialect } from "../support/toy-dialect.ts";
import { checked } from "./two-judges.ts";

const toys = toyDialect({
  ...{ group: "toys.example.com", namespaced: true, tier: { name: "toys", order: 0.5 } },
  ownerType: "ToyPolicy",
});
const config: PlanConfig = {
  ...{
    given: { kind: "files", paths: [] },
    ignore: [],
    against: { kind: "directory", path: "x" },
    againstText: "dir:x",
    prune: false,
    staged: false,
  },
  ...{
    failOn: [],
    ...{ needs: { dns: [], apiServer: [] }, rows: false, nodes: false },
    allowUnjudged: false,
    flows: null,
    families: null,
    kinds: everyKind,
    output: "json",
    reports: [],
    ...byDefault,
  },
};

const app = (name: string, ip: string) => pod("default", name, { labels: { app: name }, ips: [ip] });
const facts: readonly WorldObject[] = [
  namespace("default"),
  node("node-1", {}, ["172.18.0.1"], ["v4"]),
  ...[app("a", "10.0.0.1"), app("b", "10.0.0.2"), app("c", "10.0.0.3")],
];
const team = (from: string): WorldObject => ({
  ...{ kind: teamKind.kind, apiVersion: "toys.example.com/v1", namespace: null, name: "t", spec: {} },
  ...{ uid: null, generation: null, annotations: new Map(), labels: new Map([["app", from]]) },
});

function loaded(objects: readonly WorldObject[]): LoadedWorld {
  const model = offlineModel({
    objects,
    dialects: [toys],
    families: null,
    mode: { zone: null, namedPorts: "list" },
  });
  const placeOf = (_key: unknown, field: string) => `toys.yaml: ${field}`;
  return {
    ...{ model, judged: model, compared: model, objects, others: [], dialects: [toys], placeOf },
    ...{ unread: [], problems: [], notRead: allRead, workloads: [], makers: [], lines: [], refused: false },
    cni: null,
  };
}

test("an edit of the object that a policy refers to: who is denied now, and by which rule of which tier", () => {
  const policy = toys.policy("p", { app: "a", team: "t" });
  const worlds = { old: loaded([...facts, team("b"), policy]), new: loaded([...facts, team("c"), policy]) };
  const report = reportOf(worlds, config);
  expect(report.objects.changed).toMatchObject([{ kind: "Team", fields: [{ old: "b", new: "c" }] }]);
  expect(report.rows.changes.length).toBeGreaterThan(0);
  expect(report.verdicts.changes).toMatchObject([
    {
      ...{ old: "allow", new: "deny", from: { pods: ["default/c"] }, to: { pods: ["default/a"] } },
      by: {
        new: {
          ingress: {
            ...{
              by: "rule",
              tier: "toys",
              policy: { group: "toys.example.com", namespace: "default", name: "p" },
            },
            rule: { direction: "ingress", index: 0, place: "toys.yaml: the rule" },
          },
        },
      },
    },
    { old: "deny", new: "allow", from: { pods: ["default/b"] }, to: { pods: ["default/a"] } },
  ]);
  const judge = both((age) => ({ facts: worlds[age].model.facts, policies: worlds[age].model.policies() }));
  expect(checked(judge)).toMatchObject({ faults: [], changed: expect.any(Number) });
});
