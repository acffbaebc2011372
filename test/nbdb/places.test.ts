// Ranked places on a real ovsdb-server: they follow from history, a program that starts or takes over keeps those that
// stand and writes nothing, and whatever stands, the rows end in the order of the policies.

import { expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, node } from "../support/facts.ts";
import { Database } from "../support/database.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, banp, cnp } from "../support/policies.ts";
import { clearRows } from "../support/ports.ts";
import { sessionWith } from "../support/watched-session.ts";
import { byOrder, isRanked } from "../support/ranked-places.ts";

const options = { families: ["v4" as const], zone: null };
const rules = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ action: "Deny", from: [{ networks: [`10.${at}.0.0/16`] }] }));
const egress = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ action: "Deny", to: [{ networks: [`10.${at}.0.0/16`] }] }));
const policy = (name: string, priority: number, count = 3, tier: "Admin" | "Baseline" = "Admin") =>
  cnp(name, { tier, priority, egress: egress(count) });
/** With a set that no other policy shares, whose name another row may have taken. */
const withSet = (name: string, priority: number, count: number) =>
  cnp(name, {
    ...{ tier: "Admin", priority, egress: egress(count) },
    ingress: [{ action: "Deny", from: [{ namespaces: { matchLabels: { only: name } } }] }],
  });
const others = [namespace("a"), anp("documented", { ingress: [] }), banp({ egress: egress(2) })];

await describeWithOvn("ranked places on a real ovsdb-server", () => {
  const database = new Database({ open: openNorthbound });

  async function run(objects: readonly WorldObject[]): Promise<TestController> {
    return database.settled(new MemorySource(objects), options);
  }

  /** A program starts on what stands, with another order of arrival. */
  async function restart(objects: readonly WorldObject[]): Promise<TestController> {
    await database.restart();
    return run([...objects].reverse());
  }

  const places = () =>
    new Map(
      actualTables(database.session.cache)
        .ACL.filter(isRanked)
        .map(({ name, tier, priority }) => [name, `${tier} ${priority}`]),
    );
  const inOrder = (objects: readonly WorldObject[]): void => {
    expect(byOrder(actualTables(database.session.cache))).toEqual(byOrder(freshTables(objects, options)));
  };
  /** The rules of no policy stand among those of another. */
  function oneAfterTheOther(): void {
    const acls = actualTables(database.session.cache).ACL.filter(isRanked);
    const runs = [...Map.groupBy(acls, ({ name }) => String(name).split(":")[1] ?? "")].map(([name, own]) => {
      const levels = own.map(({ tier, priority }) => tier * 100_000 - priority);
      return { name, first: Math.min(...levels), last: Math.max(...levels) };
    });
    const sorted = runs.sort((a, b) => a.first - b.first);
    for (const [at, { name, last }] of sorted.entries()) {
      const next = sorted[at + 1];
      if (next !== undefined && next.first <= last) throw new Error(`${next.name} stands among ${name}`);
    }
    const names = sorted.map(({ name }) => name).filter((name) => name !== "base");
    expect(names).toEqual([...names].sort());
  }

  /** Policies that came one after the other between the same two, until they had to move. */
  async function history(): Promise<{ controller: TestController; objects: WorldObject[] }> {
    const objects: WorldObject[] = [
      ...others,
      policy("a", 5),
      policy("z", 5),
      policy("base", 5, 4, "Baseline"),
    ];
    const controller = await run(objects.slice(0, 4));
    for (const object of objects.slice(4)) {
      controller.source.set(object);
      await controller.loop.idle();
    }
    for (let at = 0; at < 12; at++) {
      const one = policy(`m${String(90 - at)}`, 5, 5);
      objects.push(one);
      controller.source.set(one);
      await controller.loop.idle();
    }
    for (const gone of objects.splice(7, 2)) controller.source.delete(keyOf(gone));
    await controller.loop.idle();
    inOrder(objects);
    return { controller, objects };
  }

  test("an empty database gets what a rendering says, in whatever order the policies came", async () => {
    const objects = [
      ...others,
      ...["q", "b", "x"].map((name, at) => policy(name, 5 - at)),
      policy("y", 9, 2, "Baseline"),
    ];
    await run(objects);
    expect(actualTables(database.session.cache)).toEqual(freshTables(objects.toReversed(), options));
  });

  test("a restart writes nothing, whatever the history", async () => {
    const { objects } = await history();
    const before = places();
    // The history matters: a fresh rendering has other numbers.
    expect(actualTables(database.session.cache)).not.toEqual(freshTables(objects, options));
    await restart(objects);
    expect(database.session.stats.operations).toBe(0);
    expect(places()).toEqual(before);
  });

  test("what came and went while nobody ran moves no other policy", async () => {
    const { objects } = await history();
    const before = places();
    const now = [...objects.filter(({ kind }) => kind !== "Namespace"), policy("b", 4), policy("late", 900)];
    await restart([...others.slice(0, 1), ...now]);
    inOrder([...others.slice(0, 1), ...now]);
    for (const [name, place] of before) expect(places().get(name)).toBe(place);
  });

  test("of places that contradict the order, as few as can are written anew", async () => {
    const { objects } = await history();
    const before = places();
    await database.restart();
    // Somebody has put the last policy of the tier before all others, and one rule of another elsewhere.
    const [last] = (
      await database.ovn.nbctl("--bare", "--columns=_uuid", "find", "ACL", 'name="CNP:z:Egress:0"')
    ).split("\n");
    await database.ovn.nbctl("set", "ACL", last ?? "", "priority=19990");
    const [one] = (
      await database.ovn.nbctl("--bare", "--columns=_uuid", "find", "ACL", 'name="CNP:m80:Egress:2"')
    ).split("\n");
    await database.ovn.nbctl("set", "ACL", one ?? "", "priority=3");

    await run(objects);
    inOrder(objects);
    for (const [name, place] of before)
      if (!String(name).startsWith("CNP:z:")) expect(places().get(name)).toBe(place);
  });

  test("a policy whose number has changed while nobody ran is in order, and moves alone where there is room", async () => {
    const { objects } = await history();
    const before = places();
    const now = objects.map((object) => (object.name === "a" ? policy("a", 700) : object));
    await restart(now);
    inOrder(now);
    for (const [name, place] of before)
      if (!String(name).startsWith("CNP:a:")) expect(places().get(name)).toBe(place);
  });

  test("a database that lost its rows gets them back in order", async () => {
    const { controller, objects } = await history();
    const acls = () => new Set(Array.from(database.session.cache.table("ACL").entries(), ([uuid]) => uuid));
    const lost = acls();
    await clearRows(database.ovn);
    await eventually(() => {
      // The news that they are gone may come after the answer to who took them away.
      expect(acls().isDisjointFrom(lost)).toBe(true);
      inOrder(objects);
    });
    await controller.loop.idle();
    const before = places();
    await restart(objects);
    expect(database.session.stats.operations).toBe(0);
    expect(places()).toEqual(before);
  });

  test("one that stood by keeps the places of the one before, whose policies came in another order", async () => {
    let [leads, changed] = [false, (): void => undefined];
    const election = {
      get leads() {
        return leads;
      },
      onChange: (callback: () => void) => {
        changed = callback;
      },
    };
    const other = openNorthbound(database.ovn.nb);
    await other.opened();
    const source = new MemorySource();
    const standby = startController(other, source, { ...options, election });
    try {
      const { controller, objects } = await history();
      source.become(objects.toReversed());
      await standby.loop.idle();
      await controller.stop();
      const before = places();
      // What was written last may still be on its way.
      const rowsOf = ({ cache }: typeof other) =>
        (["ACL", "Port_Group", "Address_Set"] as const).map((table) => new Map(cache.table(table).entries()));
      await eventually(() => {
        expect(rowsOf(other)).toEqual(rowsOf(database.session));
      });
      leads = true;
      changed();
      await standby.loop.idle();
      expect(standby.settled.size).toBe(objects.length - 1);
      expect(other.stats.operations).toBe(0);
      source.set(policy("new", 5, 5));
      await standby.loop.idle();
      await eventually(() => {
        inOrder([...objects, policy("new", 5, 5)]);
      });
      expect(before.size).toBeGreaterThan(0);
    } finally {
      await standby.stop();
      await other.close();
    }
  });

  test("a program that lost its connection meets rows that another has written since, and ends in order", async () => {
    const { controller, objects } = await history();
    const other = openNorthbound(database.ovn.nb);
    await other.opened();
    const between = [...objects, ...Array.from({ length: 6 }, (_, at) => policy(`k${at}`, 5, 6))];
    await controller.stop();
    const second = startController(other, new MemorySource(between), options);
    await second.loop.idle();
    await second.stop();
    await other.close();
    await restart(objects);
    inOrder(objects);
  });

  test("with every priority, the higher ANPs stand before every CNP, and a restart writes nothing", async () => {
    const all = { ...options, anpPriorities: "all" as const };
    const objects = [
      ...others,
      ...[100, 101, 1000].map((priority) => anp(`above-${priority}`, { priority, egress: egress(4) })),
      policy("first", 0, 2),
    ];
    const controller = await database.settled(new MemorySource(objects), all);
    expect(controller.refused.size).toBe(0);
    expect(actualTables(database.session.cache)).toEqual(freshTables(objects, all));
    const ranked = [...places()].map(([name, place]) => [String(name), Number(place.split(" ")[1])] as const);
    const names = ranked.sort(([, a], [, b]) => b - a).map(([name]) => name.split(":")[1]);
    expect([...new Set(names)]).toEqual(["above-100", "above-101", "above-1000", "first"]);
    expect(Math.max(...ranked.map(([, priority]) => priority))).toBeLessThanOrEqual(20_000);
    await database.restart();
    const again = startController(database.session, new MemorySource(objects.toReversed()), all);
    database.started(again);
    await again.loop.idle();
    expect(database.session.stats.operations).toBe(0);
    // Told otherwise, they are refused, and their rows stay.
    await database.restart();
    const refusing = await run(objects);
    expect(refusing.refused.size).toBe(3);
    expect(database.session.stats.operations).toBe(0);
  });

  test("a transaction that is split leaves every policy in order after each part, and a refused one moves with the others", async () => {
    const { controller, objects } = await history();
    await controller.stop();
    let transactions = 0;
    const checked = sessionWith(database.session, async (operations) => {
      const result = await database.session.transact(operations);
      transactions++;
      oneAfterTheOther();
      return result;
    });
    const bad = withSet("m86x", 5, 25);
    const taken = freshTables([bad], options).Address_Set[0]?.name ?? "";
    await database.ovn.nbctl("create", "Address_Set", `name=${taken}`, "addresses=9.9.9.9");
    const next = startController(checked, new MemorySource(objects), options);
    database.started(next);
    await next.loop.idle();
    const before = places();
    // Each grows, so that those between them move, and the newcomer is refused in the same batch.
    const grown = ["m82", "m85", "m88"].map((name) => policy(name, 5, 25));
    next.source.set(bad, ...grown);
    await next.loop.idle();
    const names = new Set(grown.map(({ name }) => name));
    const now = [...objects.filter(({ name }) => !names.has(name)), ...grown];
    expect([...next.refused.keys()]).toEqual([keyOf(bad)]);
    expect(transactions).toBeGreaterThan(1);
    expect([...before].filter(([name, place]) => places().get(name) !== place).length).toBeGreaterThan(10);
    inOrder(now);
    // An edit that is refused: what stands of the policy makes room all the same.
    const refused = withSet("m84", 5, 25);
    const last = freshTables([refused], options).Address_Set.at(-1)?.name ?? "";
    await database.ovn.nbctl("create", "Address_Set", `name=${last}`, "addresses=9.9.9.9");
    next.source.set(refused);
    await next.loop.idle();
    expect(next.refused.has(keyOf(refused))).toBe(true);
    inOrder(now);
    for (let at = 0; at < 6; at++) {
      now.push(policy(`m83-${5 - at}`, 5, 25));
      next.source.set(...now.slice(-1));
      await next.loop.idle();
      inOrder(now);
    }
  });

  test("a policy of 5 + 5 rules between 1,000 such is written, and nothing else is", async () => {
    const many = Array.from({ length: 1000 }, (_, at) =>
      cnp(`p${String(at).padStart(4, "0")}`, { priority: at, ingress: rules(5), egress: egress(5) }),
    );
    const controller = await run([node("n"), ...many]);
    const before = places();
    expect(before.size).toBe(10_000);
    const { operations } = database.session.stats;
    controller.source.set(cnp("p0500x", { priority: 500, ingress: rules(5), egress: egress(5) }));
    await controller.loop.idle();
    // A port group and 10 ACLs; the sets of its peers stand.
    expect(database.session.stats.operations - operations).toBe(11);
    const after = places();
    for (const [name, place] of before) if (after.get(name) !== place) throw new Error(`${name} moved`);
  });
});
