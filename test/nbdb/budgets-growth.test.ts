// What must not grow: a change costs the same, to the byte, among ten members and among thousands, and among few policies
// and many that it does not concern. Counted on a real ovsdb-server.

import { expect, test } from "@jest/globals";
import type { Size } from "../support/budget-world.ts";
import { podOf, shopWeb, worldOf } from "../support/budget-world.ts";
import type { Change } from "../support/describe-metered.ts";
import { costOfChange, describeMetered } from "../support/describe-metered.ts";
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
const transactionWeight = 1_000_000;

await describeMetered("growth", (meters) => {
  const run = (size: Size) => meters().run(worldOf(size), [late], { transactionWeight });

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
