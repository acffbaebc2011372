// Peers of host names, whose members are what DNS answered, with the dialect of tests as their first user: rows that change with
// the answers while no ACL does, and what explain, plan, lint and the words say, with recorded answers and without.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { AskedWorld } from "../../src/explain/asked.ts";
import { explain } from "../../src/explain/explain.ts";
import { peerTexts } from "../../src/analysis/words.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { everyRule } from "../../src/lint/lint.ts";
import { unresolved } from "../../src/plan/domain-rules.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import { unknownsOf } from "../../src/unknowns/unknowns.ts";
import type { Both } from "../../src/verdicts/worlds.ts";
import { both } from "../../src/verdicts/worlds.ts";
import { checked } from "../plan/two-judges.ts";
import { hostName, namespace, node, pod } from "../support/facts.ts";
import { reportOf } from "../support/linted.ts";
import { hostNames, trafficObject } from "./generator.ts";
import { installed } from "./worlds.ts";

const web = { pods: { pods: { matchLabels: { app: "web" } } } };
const cluster: readonly WorldObject[] = [
  namespace("shop"),
  node("node-1", {}, ["172.18.0.1"], ["v4", "v6"]),
  pod("shop", "web", { labels: { app: "web" }, ips: ["10.0.0.1", "fd00::1"] }),
];
const allowed = (name: string, ...patterns: readonly string[]): PolicyObject =>
  trafficObject(name, {
    ...{ tier: "admin", priority: 1001, tie: name, appliedTo: [web], isolates: ["egress"] },
    egress: patterns.map((hosts) => ({ action: "allow", peers: [{ hosts }] })),
  });
const answers = [
  hostName("www.example.org", "198.51.100.7", "2001:db8::7"),
  hostName("api.example.org", "198.51.100.8"),
];

function modelOf(objects: readonly WorldObject[]) {
  const mode = { zone: null, namedPorts: "list" } as const;
  return offlineModel({ objects, dialects: installed, families: ["v4", "v6"], mode });
}

type Model = ReturnType<typeof modelOf>;

function setsIn(model: Model): Readonly<Record<string, readonly string[]>> {
  const { Address_Set } = model.tables();
  const named = Address_Set.filter(({ external_ids }) => external_ids["selector"]?.startsWith("host names"));
  return Object.fromEntries(
    named.map(({ external_ids, addresses }) => [
      `${external_ids["selector"] ?? ""} ${external_ids["ip-family"] ?? ""}`,
      addresses,
    ]),
  );
}

test("two policies of one pattern have one set a family, which follows the answers, and no ACL changes", () => {
  const model = modelOf([...cluster, allowed("p", "*.example.org"), allowed("q", "*.Example.org.")]);
  const set = 'host names #hostName ends with ".example.org"';
  expect(setsIn(model)).toEqual({ [`${set} v4`]: [], [`${set} v6`]: [] });
  const { ACL: before } = model.tables();
  expect(before.filter(({ match }) => match.includes("$")).length).toBeGreaterThan(2);
  model.observe([...answers, hostName("example.org", "198.51.100.9")]);
  expect(setsIn(model)).toEqual({
    [`${set} v4`]: ["198.51.100.7", "198.51.100.8"],
    [`${set} v6`]: ["2001:db8::7"],
  });
  model.observe([hostName("www.example.org", "198.51.100.8")]);
  model.change([{ key: keyOf(hostName("api.example.org")), object: null }]);
  expect(setsIn(model)).toEqual({ [`${set} v4`]: ["198.51.100.8"], [`${set} v6`]: [] });
  model.change([{ key: keyOf(hostName("www.example.org")), object: null }]);
  expect(setsIn(model)).toEqual({ [`${set} v4`]: [], [`${set} v6`]: [] });
  expect(model.tables().ACL).toEqual(before);
});

test("however answers come and go, the rows are those of a start with what is left", () => {
  const policies = [allowed("p", "*.example.org", "www.test"), allowed("q", "*")];
  let filled = 0;
  fc.assert(
    fc.property(fc.array(hostNames, { minLength: 1, maxLength: 5 }), (moments) => {
      const model = modelOf([...cluster, ...policies]);
      for (const [at, names] of moments.entries()) {
        const left = (moments[at - 1] ?? []).filter((one) => !names.some(({ name }) => name === one.name));
        model.change(left.map((one) => ({ key: keyOf(one), object: null })));
        model.observe(names);
      }
      const last = moments.at(-1) ?? [];
      expect(model.tables()).toEqual(modelOf([...cluster, ...policies, ...last]).tables());
      if (last.some(({ ips }) => ips.length > 0)) filled++;
    }),
    { numRuns: 60 },
  );
  expect(filled).toBeGreaterThan(10);
});

test("in a rule of ingress they are refused, and the rule is closed", () => {
  const object = trafficObject("p", {
    ...{ tier: "admin", appliedTo: [web] },
    ingress: [{ action: "allow", peers: [{ hosts: "www.example.org" }] }],
  });
  const record = modelOf([...cluster, ...answers, object]).record(keyOf(object));
  expect(record?.policy?.rules.ingress).toMatchObject([{ action: "deny" }]);
  expect(record?.problems).toMatchObject([
    {
      field: "spec.ingress[0].peers",
      message: expect.stringContaining("DNS answers where a connection leads to"),
    },
  ]);
});

function askedOf(objects: readonly WorldObject[]): AskedWorld {
  return new AskedWorld(modelOf(objects), { dialects: installed, placeOf: () => null, objects });
}

test("explain knows where recorded names lead, and says unknown where nothing is recorded", () => {
  const policy = allowed("p", "*.example.org");
  const about = (recorded: readonly WorldObject[], to: string) => {
    const asked = askedOf([...cluster, policy, ...recorded]);
    const question = { from: "shop/web", to, protocol: "tcp" as const, port: 443 };
    const { verdict, caveats, egress } = explain(asked, question, { isDetailed: true });
    return { verdict, codes: caveats.map(({ code }) => code), misses: egress?.near };
  };
  expect(about(answers, "198.51.100.7")).toMatchObject({ verdict: "allow", codes: [] });
  expect(about(answers, "203.0.113.1")).toMatchObject({
    ...{ verdict: "deny", codes: [] },
    misses: [{ part: "peer", wanted: "a host name", has: "203.0.113.1, which DNS answered for none" }],
  });
  expect(about([...answers, hostName("example.org", "203.0.113.1")], "203.0.113.1")).toMatchObject({
    ...{ verdict: "deny", codes: [] },
    misses: [{ part: "peer", wanted: 'host name ends with ".example.org"', has: "example.org" }],
  });
  for (const recorded of [[], [hostName("example.org", "198.51.100.7")]])
    expect(about(recorded, "198.51.100.7")).toMatchObject({ verdict: "unknown", codes: ["DomainName"] });
});

function planWorldOf(objects: readonly WorldObject[]): PlanWorld {
  const model = modelOf(objects);
  return { facts: model.facts, policies: model.policies() };
}

test("a plan tells what other patterns and other answers change, as the judge does", () => {
  const wide = [...cluster, ...answers, allowed("p", "*.example.org")];
  const plans: readonly Both<readonly WorldObject[]>[] = [
    { old: wide, new: [...cluster, ...answers, allowed("p", "www.example.org")] },
    { old: wide, new: [...wide, hostName("new.example.org", "198.51.100.9")] },
  ];
  const networks = plans.map((plan) => {
    const { plan: made, ...rest } = checked(both((age) => planWorldOf(plan[age])));
    expect(rest).toMatchObject({ faults: [], changed: expect.any(Number) });
    expect(rest.changed).toBeGreaterThan(0);
    return made.classes.map(({ to, old, new: next }) => [to.addresses, old, next]);
  });
  expect(networks).toEqual([
    [[["198.51.100.8/32"], "allow", "deny"]],
    [[["198.51.100.9/32"], "deny", "allow"]],
  ]);
});

test("a plan leaves open what nobody answered", () => {
  const object = allowed("p", "*.example.org");
  const rulesIn = (objects: readonly WorldObject[]) => {
    const model = modelOf(objects);
    const { rules } = unknownsOf(
      model.records(),
      objects,
      model.facts.hostNames,
      () => installed.at(-1) ?? null,
    );
    return [...rules.values()].map(({ policy, rule }) => ({ policy, rule, object }));
  };
  expect(rulesIn([...cluster, object, ...answers])).toEqual([]);
  const open = rulesIn([...cluster, object]);
  expect(open.map(({ rule }) => rule.action)).toEqual(["allow"]);
  const { caveats } = unresolved({ old: open, new: open }, [], () => []);
  expect(caveats.map(({ code }) => code)).toEqual(["DomainName"]);
});

test("lint knows which pattern is part of another, and the words name it", () => {
  const object = allowed("p", "*.example.org", "www.example.org");
  const { findings } = reportOf([...cluster, ...answers, object], {
    ...{ dialects: installed, choice: everyRule },
  });
  expect(findings.map(({ id }) => id)).toContain("NG001");
  const [rule] = modelOf([...cluster, object]).policies()[0]?.rules.egress ?? [];
  expect(rule && peerTexts(rule)).toEqual(['host name ends with ".example.org"']);
});
