// Whether rows that stand are enforced, on a real ovsdb-server: subject pods without ports, a database without a switch
// or of another zone. Time is the test's; work is counted.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, keyOf, openNorthbound, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, namespacesWith } from "../support/policies.ts";
import { HandClock } from "../support/scripted-api.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";

const deny = { ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] };
const guard = anp("guard", { priority: 1, subject: namespacesWith({ tenant: "a" }), ...deny });
const other = anp("other", { priority: 2, subject: namespacesWith({ tenant: "b" }), ...deny });
const facts = [namespace("a", { tenant: "a" }), namespace("b", { tenant: "b" })];
const one = pod("a", "one", { ips: ["10.0.0.1"] });
const two = pod("a", "two", { ips: ["10.0.0.2"] });
const three = pod("b", "three", { ips: ["10.0.0.3"] });

await describeWithOvn("what is enforced", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;
  let clock: HandClock;
  let controller: TestController | null = null;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    clock = new HandClock();
    await clearRows(ovn);
    await ovn.nbctl("set", "NB_Global", ".", 'name=""');
    await makeSwitch(ovn, []);
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterEach(async () => {
    await controller?.stop();
    await session.close();
  });

  async function run(objects: readonly WorldObject[], zone: string | null = null): Promise<TestController> {
    const source = new MemorySource([...facts, ...objects]);
    controller = startController(session, source, { families: ["v4"], zone, clock });
    await controller.loop.idle();
    return controller;
  }
  const addPort = (...pods: readonly string[]) =>
    ovn.nbctl(...pods.flatMap((name) => ["--", "lsp-add", "sw", name]).slice(1));
  /** What is told of the guard; null: nothing. */
  const told = () => controller?.backend.unenforced(keyOf(guard)) ?? null;
  const seen = (name: string, isThere = true) =>
    eventually(() => {
      expect(session.cache.table("Logical_Switch_Port").find("name", name).size).toBe(Number(isThere));
    });

  describe("subject pods without a port", () => {
    test("are told after a minute, counted and named, and at once not when they have ports", async () => {
      await run([guard, other, one, two, three]);
      clock.elapse(59_999);
      expect(told()).toBeNull();
      clock.elapse(1);
      const message = "2 of its subject pods have no logical switch port: a/one, a/two";
      expect(told()).toEqual({ reason: "PodsNotConnected", message });
      expect(controller?.backend.unenforced(keyOf(other))?.message).toContain(": b/three");
      await addPort("a_one");
      await seen("a_one");
      expect(told()?.message).toBe("1 of its subject pods have no logical switch port: a/two");
      await addPort("a_two");
      await seen("a_two");
      expect(told()).toBeNull();
      await ovn.nbctl("lsp-del", "a_one");
      await seen("a_one", false);
      clock.elapse(60_000);
      expect(told()?.message).toContain("a/one");
      // The commit that the port causes makes the policy's report look again; those of before are of no interest.
      await controller?.loop.idle();
      controller?.settled.clear();
      await addPort("a_one");
      await eventually(() => {
        expect(controller?.settled).toContain(keyOf(guard));
      });
      expect(told()).toBeNull();
    });

    test("that start meanwhile flip nothing", async () => {
      await addPort("a_one");
      const { source, loop } = await run([guard, one]);
      clock.elapse(600_000);
      expect(told()).toBeNull();
      source.set(two);
      await loop.idle();
      clock.elapse(59_000);
      expect(told()).toBeNull();
      await addPort("a_two");
      await seen("a_two");
      clock.elapse(600_000);
      expect(told()).toBeNull();
    });

    test.each<[string, Parameters<typeof pod>[2]]>([
      ["on the host's network", { hostNetwork: true }],
      ["completed", { completed: true }],
      ["not scheduled", { node: null }],
      ["of another zone", { node: "elsewhere" }],
    ])("are of no concern when %s", async (_what, how) => {
      const local = { ...one, node: "here" };
      await addPort("a_one");
      const { source, loop } = await run([guard, local, pod("a", "two", how)], "here");
      clock.elapse(600_000);
      expect(told()).toBeNull();
      source.set({ ...two, node: "here" });
      await loop.idle();
      clock.elapse(60_000);
      expect(told()?.message).toContain("a/two");
      source.set(pod("a", "two", how));
      await loop.idle();
      expect(told()).toBeNull();
    });

    test("count for the policies that select them now", async () => {
      const { source, loop } = await run([guard, one, three]);
      clock.elapse(60_000);
      expect(told()?.message).toContain("a/one");
      source.set(anp("guard", { priority: 1, subject: namespacesWith({ tenant: "c" }), ...deny }));
      await loop.idle();
      expect(told()).toBeNull();
      source.delete(keyOf(guard));
      await loop.idle();
      source.set(guard);
      await loop.idle();
      // A policy that newly selects it begins to wait for it.
      expect(told()).toBeNull();
      clock.elapse(60_000);
      expect(told()?.message).toContain("a/one");
      source.set(namespace("a", { tenant: "z" }));
      await loop.idle();
      expect(told()).toBeNull();
    });

    test("have waited in vain only as long as the database was there to see", async () => {
      const { source, loop } = await run([guard, one]);
      await addPort("a_one");
      await seen("a_one");
      await ovn.killNb();
      await eventually(() => {
        expect(session.ready).toBe(false);
      });
      source.set(two);
      await loop.idle();
      clock.elapse(600_000);
      expect(told()).toBeNull();
      await ovn.restartNb();
      await eventually(() => {
        expect(session.ready).toBe(true);
      });
      clock.elapse(59_000);
      expect(told()).toBeNull();
      clock.elapse(1_000);
      expect(told()?.message).toContain("a/two");
    });

    test("cost one look when one pod comes, however many there are", async () => {
      const many = Array.from({ length: 300 }, (_, n) =>
        pod("a", `p${n}`, { ips: [`10.1.${n % 3}.${n % 200}`] }),
      );
      const { source, loop, backend } = await run([guard, ...many]);
      clock.elapse(60_000);
      expect(told()?.message).toMatch(/^300 of its subject pods .*: a\/p0, a\/p1, a\/p2 and 297 more$/);
      const asked = jest.spyOn(backend.actual, "port");
      source.set(one);
      await loop.idle();
      expect(told()?.message).toMatch(/^300 /);
      expect(asked.mock.calls.length).toBeLessThanOrEqual(2);
    });
  });

  describe("a database", () => {
    const everywhere = () => controller?.backend.unenforced(null) ?? null;

    test("without a switch enforces nothing", async () => {
      await ovn.nbctl("ls-del", "sw");
      await run([guard]);
      expect(everywhere()).toEqual({
        reason: "NoNetwork",
        message: "the Northbound database has no logical switch",
      });
      await ovn.nbctl("ls-add", "sw");
      await eventually(() => {
        expect(everywhere()).toBeNull();
      });
    });

    test("of another zone is told; one that names no zone says nothing", async () => {
      await run([guard], "node-a");
      expect(everywhere()).toBeNull();
      await ovn.nbctl("set", "NB_Global", ".", "name=node-b");
      await eventually(() => {
        expect(everywhere()).toEqual({
          reason: "ZoneMismatch",
          message: 'the Northbound database is of zone "node-b", and --zone is "node-a"',
        });
      });
      await ovn.nbctl("set", "NB_Global", ".", "name=node-a");
      await eventually(() => {
        expect(everywhere()).toBeNull();
      });
    });

    test("of any zone is right for a program of all zones", async () => {
      await ovn.nbctl("set", "NB_Global", ".", "name=global");
      await run([guard]);
      expect(everywhere()).toBeNull();
    });
  });
});
