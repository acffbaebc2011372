// Of a kind that closes rules, a rule that the backend cannot say or has no room for denies, the rest of its policy is in
// force, and the rule is open again as soon as there is room. With the in-memory backend, which has room for so many sets, and
// with rows.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { FactStore } from "../../src/model/fact-store.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { isApiObject, keyOf } from "../../src/model/object.ts";
import { OfflineModel } from "../../src/offline/model.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { judge } from "../../src/policy/evaluate.ts";
import { outcomes } from "../../src/policy/ties.ts";
import { MemoryBackend } from "../backend/memory-backend.ts";
import { judgeByStore } from "../backend/memory-judge.ts";
import { MemoryStore } from "../backend/memory-store.ts";
import { probesOf } from "../proof/packets.ts";
import { lacking } from "../support/lacking.ts";
import { trafficObject } from "./generator.ts";
import { installed, trafficWorld } from "./worlds.ts";

function limited(sets: number) {
  const store = new MemoryStore();
  store.reconnect();
  const model = new OfflineModel({
    ...{ dialects: installed, families: ["v4"] },
    backend: (membership) => new MemoryBackend({ store, membership, mayExist: () => false, sets }),
  });
  return { store, model };
}

const pods = (app: string) => ({ pods: { pods: { matchLabels: { app } } } });
const policy = (name: string, ...peers: readonly string[]): PolicyObject =>
  trafficObject(name, {
    ...{ tier: "admin", priority: 1001, tie: name, appliedTo: [pods("web")] },
    ingress: peers.map((app) => ({ action: "allow", peers: [pods(app)] })),
  });

function told(model: ReturnType<typeof limited>["model"], object: PolicyObject) {
  const record = model.record(keyOf(object));
  return {
    rejected: record?.rejected,
    actions: record?.policy?.rules.ingress.map(({ action }) => action),
    problems: record?.problems.map(({ severity, field, message }) => `${severity} ${field}: ${message}`),
  };
}

test("a rule without room denies, the others are in force, and it is opened when room comes", () => {
  // One set is the subject's, which both have, and one each peer's.
  const { model } = limited(3);
  const [first, second] = [policy("first", "a"), policy("second", "b", "c")];
  model.observe([first, second]);
  expect(told(model, first)).toEqual({ rejected: false, actions: ["allow"], problems: [] });
  const message = "the filter has room for 3 sets; the rule denies instead";
  const closed = {
    ...{ rejected: false, actions: ["allow", "deny"] },
    problems: [`error spec.ingress[1].peers: ${message}`],
  };
  expect(told(model, second)).toEqual(closed);
  const record = model.record(keyOf(second));
  // Another policy that changes makes no room: the record is the same, and nothing is told again.
  expect([...model.observe([policy("first", "a", "a")]).compiled]).toEqual([]);
  expect(model.record(keyOf(second))).toBe(record);
  expect([...model.change([{ key: keyOf(first), object: null }]).compiled]).toEqual([keyOf(second)]);
  expect(told(model, second)).toEqual({ rejected: false, actions: ["allow", "allow"], problems: [] });
});

test("where the subject has no room, the policy is refused whole", () => {
  const { model } = limited(1);
  model.observe([policy("p", "a")]);
  model.observe([
    trafficObject("q", {
      tier: "admin",
      appliedTo: [pods("x")],
      ingress: [{ action: "deny", peers: [pods("y")] }],
    }),
  ]);
  const [rejected, closed] = ["q", "p"].map((name) => model.record(keyOf(policy(name)))?.rejected);
  expect([rejected, closed]).toEqual([true, false]);
});

test("rows that cannot be said are closed too", () => {
  const object = trafficObject("through", {
    ...{ tier: "admin", appliedTo: [pods("web")] },
    ingress: [
      { action: "allow", peers: [pods("a")], throughService: true },
      { action: "allow", peers: [pods("b")] },
    ],
  });
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects: [object], dialects: installed, families: ["v4"], mode });
  const { ACL } = model.tables();
  expect(ACL.map(({ name, action }) => `${name} ${action}`)).toEqual([
    expect.stringMatching(/ingress:0 drop$/i),
    expect.stringMatching(/ingress:1 allow-related$/i),
  ]);
});

test("a pass for which OVN has no tier left denies, and passes again when the tier behind it is empty", () => {
  // OVN has one tier for all that comes behind the baseline's order, and a pass leaves it.
  const passing = trafficObject("passing", {
    ...{ tier: "baseline", appliedTo: [pods("web")] },
    ingress: [
      { action: "pass", peers: [pods("a")] },
      { action: "allow", peers: [pods("b")] },
    ],
  });
  const behind = trafficObject("behind", {
    ...{ tier: "last", appliedTo: [pods("web")] },
    ingress: [{ action: "deny", peers: [pods("a")] }],
  });
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects: [behind, passing], dialects: installed, families: ["v4"], mode });
  const record = () => model.record(keyOf(passing));
  const actions = () => record()?.policy?.rules.ingress.map(({ action }) => action);
  expect([record()?.rejected, actions()]).toEqual([false, ["deny", "allow"]]);
  expect(record()?.problems).toMatchObject([
    {
      ...{ code: "TooManyTiers", severity: "error", field: "spec.tier" },
      message: expect.stringMatching(/its pass would skip .*; the rules that lead to it deny instead$/),
    },
  ]);
  model.change([{ key: keyOf(behind), object: null }]);
  expect([record()?.problems, actions()]).toEqual([[], ["pass", "allow"]]);
});

/** Without policies of kinds that are refused whole. */
function ownOnly(objects: readonly WorldObject[]): readonly WorldObject[] {
  return objects.filter((one) => !isApiObject(one) || ["TrafficPolicy", "PodSet"].includes(one.kind));
}

test("in any world with any room, the filter means what is in force, and lets nothing pass that the policies stop", async () => {
  const seen = { closed: 0, refused: 0, stricter: 0 };
  const property = fc.asyncProperty(trafficWorld, fc.nat({ max: 16 }), async (world, sets) => {
    const objects = ownOnly(world.objects);
    const { store, model } = limited(sets);
    model.observe(objects);
    // Room comes when a policy goes.
    const gone = objects.find(({ kind }) => kind === "TrafficPolicy");
    if (gone !== undefined) model.change([{ key: keyOf(gone), object: null }]);
    await model.backend.commit();
    const facts = new FactStore();
    for (const object of objects) if (!isApiObject(object)) facts.put(object);
    const whole = limited(Infinity).model;
    whole.observe(objects.filter((one) => one !== gone));
    const refused = [...model.records()].filter(({ rejected }) => rejected).length;
    const closed = [...model.records()].filter(({ rejected, problems }) => !rejected && problems.length > 0);
    seen.refused += refused;
    seen.closed += closed.length;
    for (const { connection } of probesOf({ ...world, objects }, 60)) {
      if (familyOf(connection.from.ip) !== "v4") continue;
      if (outcomes(connection, facts, model.policies()).verdicts.size > 1) continue;
      const { verdict } = judge(connection, facts, model.policies());
      expect(judgeByStore(store, connection)).toBe(verdict);
      if (refused > 0) continue;
      const written = judge(connection, facts, whole.policies()).verdict;
      if (verdict === "allow") expect(written).toBe("allow");
      else if (written === "allow") seen.stricter++;
    }
  });
  const run = (): Promise<void> => fc.assert(property, { numRuns: 100 });
  expect(await lacking(seen, { closed: 11 }, run)).toEqual([]);
});
