// What a change may cost on a real ovsdb-server, counted: the numbers are the contract. A row of the table is an event, what
// it may evaluate, look at and write, and how many bytes that may be; after each the rows must be right as well. What a
// start may cost is in budgets-start.test.ts.

import { expect, test } from "@jest/globals";
import { namespace } from "../support/facts.ts";
import { actualTables } from "../support/actual-tables.ts";
import { guardOf, http, podOf, rendering, shopWeb, worldOf } from "../support/budget-world.ts";
import { freshTables } from "../support/controller.ts";
import { changed, costOfChange, describeMetered } from "../support/describe-metered.ts";
import type { Change } from "../support/describe-metered.ts";
import type { Writes } from "../support/metered.ts";

interface Budget extends Change {
  readonly event: string;
  readonly evaluations: number;
  readonly writes: Writes;
  /** At the most. */
  readonly bytes: number;
}

const known = { app: "web" };
const late = (labels: Readonly<Record<string, string>> = known) => podOf("shop", "web", 900, { labels });
const server = podOf("bank", "web", 900, { ports: [http] });
const more = [901, 902, 903].map((n) => podOf("shop", "web", n));
const newcomers = [late(), server, ...more];
const idle = podOf("lab", "db", 0, { labels: { app: "db", trace: "on" } });

/** Two rules name the labels of shop's web pods and one names everyone, for two families; they are one policy's subject. */
const oneOf = (sign: "+" | "-"): Writes => ({
  [`mutate Address_Set: addresses ${sign}1`]: 6,
  [`mutate Port_Group: ports ${sign}1`]: 1,
});
const oneRule = { "insert Address_Set": 2, "insert ACL": 1, "insert Port_Group": 1 };
const none = { evaluations: 0, writes: {}, bytes: 0 };

const budgets: readonly Budget[] = [
  {
    event: "a pod of a known label set comes",
    set: [late()],
    evaluations: 0,
    writes: oneOf("+"),
    bytes: 1400,
  },
  {
    event: "a pod of a label set that nobody had comes",
    set: [late({ ...known, version: "2" })],
    // Of the selectors of pods, the one for this app and the one for everyone.
    evaluations: 2,
    writes: oneOf("+"),
    bytes: 1400,
  },
  {
    event: "a pod gets other addresses",
    set: [podOf("shop", "web", 0, { host: 1901 })],
    evaluations: 0,
    writes: { "mutate Address_Set: addresses -1 +1": 6 },
    bytes: 1500,
  },
  { event: "a pod goes", gone: [podOf("shop", "web", 0)], evaluations: 0, writes: oneOf("-"), bytes: 1400 },
  {
    event: "four pods of one label set come at once",
    set: [late(), ...more],
    evaluations: 0,
    writes: { "mutate Address_Set: addresses +4": 6, "mutate Port_Group: ports +4": 1 },
    bytes: 1900,
  },
  {
    event: "a pod comes whose port a rule names",
    set: [server],
    evaluations: 0,
    // The rule whose destinations it joins, and no other ACL.
    writes: {
      "update ACL: match": 1,
      "mutate Address_Set: addresses +1": 6,
      "mutate Port_Group: ports +1": 1,
    },
    bytes: 2100,
  },
  { ...none, event: "a pod is given a label that nobody asks for", set: [idle], evaluations: 2 },
  {
    ...none,
    event: "a pod takes on labels known from others, and no row asks for either",
    set: [podOf("lab", "db", 1, { labels: { app: "web" } })],
  },
  {
    ...none,
    event: "a pod is relabelled so that the same selectors hold",
    set: [podOf("shop", "web", 0, { labels: { ...known, version: "2" } })],
    evaluations: 2,
  },
  {
    event: "a namespace changes hands",
    set: [namespace("lab", { tenant: "bank", since: "today" })],
    // Of the selectors of namespaces, the one for this tenant and the one for everyone.
    evaluations: 2,
    writes: {
      // bank's pods as peers, and its web pods; lab's pods were in the sets of everyone before.
      "mutate Address_Set: addresses +6": 2,
      "mutate Address_Set: addresses +3": 2,
      "mutate Port_Group: ports +6": 1,
      "mutate Port_Group: ports +3": 1,
    },
    bytes: 1900,
  },
  {
    ...none,
    event: "a namespace is given a label that nobody asks for",
    set: [namespace("lab", { tenant: "lab", since: "today" })],
    evaluations: 1,
  },
  {
    event: "one port of a rule is another",
    set: [shopWeb({}, 8443)],
    evaluations: 0,
    writes: { "update ACL: match": 1 },
    bytes: 400,
  },
  {
    event: "a policy moves to another priority",
    set: [shopWeb({ priority: 12 })],
    evaluations: 0,
    writes: { "update ACL: priority": 3 },
    bytes: 500,
  },
  {
    event: "a policy of known selectors comes",
    set: [guardOf("bank")],
    evaluations: 0,
    writes: oneRule,
    bytes: 2500,
  },
  {
    event: "a policy of a selector that nobody had comes",
    set: [guardOf("lab")],
    // The namespaces that have its label.
    evaluations: 1,
    writes: oneRule,
    bytes: 2500,
  },
  { ...none, event: "everything is told again", set: worldOf() },
];

await describeMetered("a change", (meters) => {
  test.each(budgets)("$event", async ({ evaluations, writes, bytes, ...change }) => {
    const metered = await meters().run(worldOf(), newcomers);
    const { rowChanges } = metered.session.stats;
    const cost = await costOfChange(metered, change);
    const rows = written("", writes);
    expect(cost.writes).toEqual(writes);
    expect(cost).toMatchObject({
      evaluations,
      // What we wrote came back, and nothing followed from it.
      transactions: rows === 0 ? 0 : 1,
      // What is written is looked at once, before: what comes back is known by what was sent.
      reads: {
        acls: written("ACL", writes),
        addresses: mutated("Address_Set", writes),
        ports: mutated("Port_Group", writes),
      },
    });
    expect(metered.session.stats.rowChanges - rowChanges).toBe(rows);
    expect(cost.bytes).toBeLessThanOrEqual(bytes);
    expect(actualTables(metered.session.cache)).toEqual(freshTables(changed(worldOf(), change), rendering));
  });
});

/** Rows of the table, or of all of them. */
function written(table: string, writes: Writes): number {
  const ofTable = Object.entries(writes).filter(([kind]) => kind.includes(` ${table}`));
  return ofTable.reduce((sum, [, count]) => sum + count, 0);
}

/** Elements that came and went. */
function mutated(table: string, writes: Writes): number {
  const mutations = Object.entries(writes).filter(([kind]) => kind.startsWith(`mutate ${table}: `));
  const elements = mutations.map(([kind, count]) => {
    const numbers = [...kind.matchAll(/[-+](\d+)/g)].map(([, number]) => Number(number));
    return count * numbers.reduce((sum, number) => sum + number, 0);
  });
  return elements.reduce((sum, number) => sum + number, 0);
}
