// Policies that go while others take their places, in a batch of which the database refuses one policy's rows, on a real
// ovsdb-server. The batch is written in parts, and in no part do the rules of one policy stand among those of another.

import { describe, expect, test } from "@jest/globals";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import type { AclRecord } from "../../src/nbdb/rows/records.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound, startController } from "../support/controller.ts";
import { namespace } from "../support/facts.ts";
import { Database } from "../support/database.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, cnp } from "../support/policies.ts";
import { byOrder, isRanked } from "../support/ranked-places.ts";
import { watchedSession } from "../support/watched-session.ts";

const options = { families: ["v4" as const], zone: null };
const egress = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ action: "Deny", to: [{ networks: [`10.${at}.0.0/16`] }] }));
const policy = (name: string, priority: number, count = 6): PolicyObject =>
  cnp(name, { priority, egress: egress(count) });
/** With a set that no other policy shares: another client's row has its name, and the database refuses it. */
const refused = (name: string, priority: number): PolicyObject =>
  cnp(name, {
    ...{ priority, egress: egress(6) },
    ingress: [{ action: "Deny", from: [{ namespaces: { matchLabels: { only: name } } }] }],
  });
const others = [namespace("a"), anp("documented", { ingress: [] }), policy("a", 1), policy("z", 900)];

/** The ACL priorities of each policy with a ranked place, the highest first. */
function levels(acls: readonly AclRecord[]): ReadonlyMap<string, readonly number[]> {
  const ranked = acls.filter(isRanked);
  const own = Map.groupBy(ranked, ({ name }) => String(name).split(":")[1] ?? "");
  return new Map(
    [...own].map(([name, rows]) => [name, rows.map(({ priority }) => priority).sort((a, b) => b - a)]),
  );
}

await describeWithOvn("policies that go while others take their places", () => {
  const database = new Database({ open: openNorthbound });
  const acls = () => actualTables(database.session.cache).ACL;
  /** After each transaction: the policies that stand, in their order; those that stand among one another are told. */
  const states: string[] = [];

  function note(): void {
    const runs = [...levels(acls())].map(([name, own]) => ({
      name,
      first: own[0] ?? 0,
      last: own.at(-1) ?? 0,
    }));
    const sorted = runs.sort((one, other) => other.first - one.first);
    const told = sorted.map(({ name, last }, at) => {
      const next = sorted[at + 1];
      return next !== undefined && next.first >= last ? `${name} AMONG` : name;
    });
    const state = told.join(" ");
    if (states.at(-1) !== state) states.push(state);
  }

  async function run(objects: readonly WorldObject[]): Promise<TestController> {
    const session = watchedSession(database.session, note);
    const controller = startController(session, new MemorySource(objects), options);
    database.started(controller);
    await controller.loop.idle();
    states.length = 0;
    return controller;
  }

  async function refuse(...policies: readonly PolicyObject[]): Promise<void> {
    for (const one of policies)
      for (const { name } of freshTables([one], options).Address_Set)
        await database.ovn.nbctl("create", "Address_Set", `name=${name}`, "addresses=9.9.9.9");
  }

  const inOrder = (objects: readonly WorldObject[]): void => {
    expect(byOrder(actualTables(database.session.cache))).toEqual(byOrder(freshTables(objects, options)));
  };
  const bad = refused("bad", 950);

  interface Exchange {
    readonly before: readonly PolicyObject[];
    /** An edit before the exchange. */
    readonly moved?: PolicyObject;
    readonly gone: readonly string[];
    readonly coming: readonly PolicyObject[];
    readonly states: readonly string[];
  }
  const exchanges: readonly (readonly [string, Exchange])[] = [
    [
      "one takes the place of another",
      { before: [policy("g", 10)], gone: ["g"], coming: [policy("n", 10)], states: ["a n z"] },
    ],
    [
      "one takes the places of three",
      {
        before: [policy("g1", 10, 3), policy("g2", 10, 3), policy("g3", 10, 3)],
        gone: ["g1", "g2", "g3"],
        coming: [policy("n", 10, 25)],
        states: ["a n z"],
      },
    ],
    [
      "one that stands moves to the place of another",
      {
        before: [policy("g", 700), policy("n", 800), policy("o", 20)],
        // It comes to stand right before the one that is in its way.
        moved: policy("g", 10),
        gone: ["g"],
        coming: [policy("n", 10)],
        states: ["a n o z"],
      },
    ],
    [
      "two take the places of two, and one goes whose place nobody takes",
      {
        before: [policy("g1", 10), policy("g2", 20), policy("left", 500)],
        gone: ["g1", "g2", "left"],
        coming: [policy("n1", 10), policy("n2", 20)],
        // The last may go at any time.
        states: ["a n1 n2 left z", "a n1 n2 z"],
      },
    ],
  ];

  test("who takes a place is refused itself: the one before goes, another comes, and none stands among others", async () => {
    const [first, second] = [refused("n1", 10), policy("n2", 20)];
    await refuse(first);
    const { source, loop, refused: told } = await run([...others, policy("g1", 10), policy("g2", 20)]);
    states.length = 0;
    for (const one of [policy("g1", 10), policy("g2", 20)]) source.delete(keyOf(one));
    source.set(second, first);
    await loop.idle();
    expect([...told.keys()]).toEqual([keyOf(first)]);
    expect(states).toEqual(["a z", "a n2 z"]);
    inOrder([...others, second]);
  });

  describe.each(["first", "last"])("with the refused policy %s", (place) => {
    test.each(exchanges)("%s", async (_, { before, moved, gone, coming, states: expected }) => {
      await refuse(bad);
      const { source, loop, refused: told } = await run([...others, ...before]);
      if (moved !== undefined) source.set(moved);
      await loop.idle();
      states.length = 0;
      const stood = levels(acls());
      if (place === "first") source.set(bad);
      for (const one of before.filter(({ name }) => gone.includes(name))) source.delete(keyOf(one));
      source.set(...coming);
      if (place === "last") source.set(bad);
      await loop.idle();
      expect([...told.keys()]).toEqual([keyOf(bad)]);
      expect(states).toEqual(expected);
      const kept = before.filter(({ name }) => ![...gone, ...coming.map((one) => one.name)].includes(name));
      inOrder([...others, ...kept, ...coming]);
      // Otherwise nothing was shown.
      const left = new Set(gone.flatMap((name) => stood.get(name) ?? []));
      const now = levels(acls());
      for (const { name } of coming) expect(now.get(name)?.some((level) => left.has(level))).toBe(true);
    });
  });
});
