// What must not grow: a change costs the same, to the byte, among ten members and among thousands, and among few policies
// and many that it does not concern. Counted on a real ovsdb-server.

import { afterAll, expect, test } from "@jest/globals";
// Before what it counts.
import { endWork, takeWork } from "../support/counted-work.ts";
import type { Workload } from "../../bench/workloads/catalogue.ts";
import { tenthOf } from "../../bench/workloads/catalogue.ts";
import { churnPod, churnPolicies } from "../../bench/workloads/churn.ts";
import { objectsOf, worldOf as workloadWorld } from "../../bench/workloads/world.ts";
import type { Engine } from "../../src/controller/engine.ts";
import { everyDialect } from "../../src/dialects.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import type { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { ReportedPolicies } from "../../src/status/reported.ts";
import { Reporter } from "../../src/status/reporter.ts";
import type { Size } from "../support/budget-world.ts";
import { podOf, shopWeb, worldOf } from "../support/budget-world.ts";
import type { Change } from "../support/describe-metered.ts";
import { costOfChange, describeMetered } from "../support/describe-metered.ts";
import { keyOf } from "../support/controller.ts";
import { namespace } from "../support/facts.ts";
import type { Cost, Metered } from "../support/metered.ts";

const late = podOf("shop", "web", 5000);
const changes: readonly (readonly [string, Change])[] = [
  ["a pod comes", { set: [late] }],
  ["it gets other addresses", { set: [podOf("shop", "web", 5000, { host: 5001 })] }],
  [
    "it is given a label that nobody asks for",
    { set: [podOf("shop", "web", 5000, { host: 5001, labels: { app: "web", x: "" } })] },
  ],
  ["it goes", { gone: [late] }],
  [
    "a namespace is given a label that nobody asks for",
    { set: [namespace("shop", { tenant: "shop", x: "" })] },
  ],
  ["one port of a rule is another", { set: [shopWeb({}, 8443)] }],
  ["a policy moves to another priority", { set: [shopWeb({ priority: 12 }, 8443)] }],
];

const sizes: readonly (readonly [string, Size, Size])[] = [
  ["members of the sets", { replicas: { shop: 10 } }, { replicas: { shop: 2000 } }],
  ["policies that have nothing to do with it", { bystanders: 5 }, { bystanders: 100 }],
];

/** All of it in one transaction, so that what follows is the same request of its session. */
const inOne = { transactionWeight: 1_000_000, orderedWeight: 1_000_000 };

await describeMetered("growth", (meters) => {
  const run = (size: Size) => meters().run(worldOf(size), [late], inOne);

  /** What the changes cost, one after the other. */
  async function costsAt(size: Size): Promise<readonly (readonly [string, Cost])[]> {
    const metered = await run(size);
    expect(metered.start.transactions).toBe(1);
    const costs: (readonly [string, Cost])[] = [];
    for (const [event, change] of changes) costs.push([event, await costOfChange(metered, change)]);
    return costs;
  }

  test.each(sizes)("with %s no change costs more", async (_, small, large) => {
    const costs = await costsAt(small);
    expect(await costsAt(large)).toEqual(costs);
    // They did cost something.
    const writing = costs.filter(([, { bytes, transactions }]) => transactions === 1 && bytes > 0);
    expect(writing.map(([event]) => event)).toEqual([
      "a pod comes",
      "it gets other addresses",
      "it goes",
      "one port of a rule is another",
      "a policy moves to another priority",
    ]);
  });

  test("a namespace that changes hands costs elements for its pods, and nothing else for them", async () => {
    const costAt = async (size: number): Promise<Cost> => {
      const metered: Metered = await run({ replicas: { lab: size / 2 } });
      return costOfChange(metered, { set: [namespace("lab", { tenant: "bank", since: "today" })] });
    };
    const writes = (size: number) => ({
      [`mutate Address_Set: addresses +${size}`]: 2,
      [`mutate Address_Set: addresses +${size / 2}`]: 2,
      [`mutate Port_Group: ports +${size}`]: 1,
      [`mutate Port_Group: ports +${size / 2}`]: 1,
    });
    const [small, large] = [await costAt(10), await costAt(1000)];
    expect(small).toMatchObject({ evaluations: 2, transactions: 1, writes: writes(10) });
    expect(large).toMatchObject({ evaluations: 2, transactions: 1, writes: writes(1000) });
  });

  test("a start evaluates as many selectors among thousands of pods of the same labels", async () => {
    const [small, large] = [await run({ replicas: { shop: 10 } }), await run({ replicas: { shop: 2000 } })];
    expect(small.start.evaluations).toBeGreaterThan(0);
    expect(large.start.evaluations).toBe(small.start.evaluations);
  });
});

/** Workload P, smaller: 1,000 NetworkPolicies in 100 namespaces, 100 policies of each cluster-wide kind. */
const some: Workload = {
  ...{ name: "some", kind: "many", form: "namespaces", narrow: true, ends: null, sharedEnds: null },
  ...{ namespaces: 100, podsPerNamespace: 5, podCount: 500, nodes: 20, tenants: 50 },
  ...{ policies: 1_200, firstPriority: 0, rules: 2 },
};
const bystanders = tenthOf(some);

/** With what follows when the database has answered: deletions of sets that nobody names any more. */
function costUntilQuiet(metered: Metered, { set = [], gone = [] }: Change): Promise<Cost> {
  return metered.costOf(async (source) => {
    source.set(...set);
    for (const object of gone) source.delete(keyOf(object));
    for (let rounds = 0; rounds < 3; rounds++) {
      await metered.controller.loop.idle();
      // The server answers behind the updates that it has sent.
      await metered.session.transact([{ op: "mutate", table: "NB_Global", where: [], mutations: [] }]);
    }
  });
}

function reporterOf(engine: Engine, backend: NorthboundBackend): Reporter {
  return new Reporter({
    ...{ reported: new ReportedPolicies(), engine, clusterStatus: null, askProof: null, patienceSeconds: 1 },
    unmatchedPorts: (key) => backend.unmatchedPorts(key),
    unenforced: (key) => backend.unenforced(null) ?? (key && backend.unenforced(key)),
    ...{
      placeOf: () => "",
      fieldOf: () => "",
      shown: everyDialect.shown,
      clock: systemClock,
      logger: silentLogger,
    },
    observed: () => undefined,
    counters: { problem: () => undefined, pass: () => undefined },
  });
}

await describeMetered("growth by policies", (meters) => {
  const born = churnPod(0, some);
  const edited = (object: PolicyObject, from: RegExp, to: string): PolicyObject => ({
    ...object,
    spec: JSON.parse(JSON.stringify(object.spec).replaceAll(from, to)),
  });
  const moved = (object: PolicyObject) => edited(object, /"priority":99/g, '"priority":98');
  const events: readonly (readonly [string, Change])[] = [
    ["a pod comes", { set: [born] }],
    ["a pod goes", { gone: [born] }],
    ...churnPolicies(some).flatMap(([kind, object]): readonly (readonly [string, Change])[] => [
      [`${kind} comes`, { set: [object] }],
      [`${kind} is edited in one port`, { set: [edited(object, /8000/g, "8888")] }],
      // Of the kinds with places among others' it depends on the room between them.
      ...(kind === "AdminNetworkPolicy"
        ? [[`${kind} moves to another priority`, { set: [moved(object)] }] as const]
        : []),
      [`${kind} selects what no other does`, { set: [edited(object, /"a\d"/g, '"lonely"')] }],
      [`${kind} goes, with the sets that it alone had`, { gone: [object] }],
    ]),
  ];

  /** What each event costs where so many policies stand, and the work that it is. */
  async function costsAmong(workload: Workload) {
    const objects = objectsOf(workloadWorld(workload));
    const metered = await meters().run(objects, [born], {
      ...{
        installed: everyDialect.dialects,
        anpPriorities: "all",
        transactionWeight: 10_000_000,
        orderedWeight: 10_000_000,
      },
      observer: ({ engine, backend }) => reporterOf(engine, backend),
    });
    const costs: { readonly event: string; readonly cost: Cost; readonly blocks: number }[] = [];
    // Twice: what runs for the first time is compiled, and is counted otherwise.
    for (const [event, change] of [...events, ...events]) {
      takeWork();
      const cost = await costUntilQuiet(metered, change);
      costs.push({ event, cost, blocks: takeWork() });
    }
    return { policies: metered.controller.settled.size, costs: costs.slice(events.length) };
  }

  afterAll(endWork);

  test("beside ten times as many policies an event costs the same, and no more work", async () => {
    const [few, many] = [await costsAmong(bystanders), await costsAmong(some)];
    expect(many.policies).toBe(10 * few.policies);
    // Guards of a deletion that is sent behind another: as many as ACLs that the server has not told of by then.
    const costOf = ({ costs }: typeof few) =>
      costs.map(({ event, cost }) => [event, event.endsWith("alone had") ? { ...cost, bytes: 0 } : cost]);
    expect(costOf(many)).toEqual(costOf(few));
    const grown = many.costs.filter(({ blocks }, at) => blocks > 1.5 * (few.costs[at]?.blocks ?? 0));
    expect(grown.map(({ event }) => event)).toEqual([]);
  });
});
