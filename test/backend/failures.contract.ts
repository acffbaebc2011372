// The backend contract, part two: what the world does to a commit. It never rejects: a policy that the store refuses is
// told and does not hold up the others, and a lost connection is an outcome after which nothing is missing.

import { describe, expect, test } from "@jest/globals";
import { podKey } from "../../src/model/facts.ts";
import { pod } from "../support/facts.ts";
import { eventually } from "../support/eventually.ts";
import type { Driver } from "./driver.ts";
import { rulesOf } from "./policies.ts";
import type { Stage } from "./stage.ts";
import { fence, guard, smallWorld, tenant } from "./stage.ts";

export function failuresContract(current: () => Stage): void {
  describe("a policy that the store refuses", () => {
    test("is told alone, and the others are in force", async () => {
      await current().harness.block(guard);
      const driver = await current().startWith([guard, fence]);
      const { settled, refused, interrupted } = await driver.commit();
      expect([...settled]).toEqual([fence.key]);
      expect([...refused.keys()]).toEqual([guard.key]);
      expect(refused.get(guard.key)).toMatchObject({ code: "RowRefused", severity: "error" });
      expect(refused.get(guard.key)?.message).not.toMatch(/\.$/);
      expect(interrupted).toBeNull();
      await current().expectInForce([fence]);
    });

    test("is left alone until it is tried again, and stays refused until it lands", async () => {
      await current().harness.block(guard);
      const driver = await current().startWith([guard, fence]);
      const first = (await driver.commit()).refused.get(guard.key);
      expect(first).toBeDefined();
      expect(await driver.commit()).toMatchObject({ refused: new Map(), interrupted: null });
      driver.backend.retry(guard.key);
      expect((await driver.commit()).refused.get(guard.key)).toEqual(first);
      await current().harness.unblock(guard);
      driver.backend.retry(guard.key);
      expect(await current().settle(driver)).toEqual([guard.key]);
      await current().expectInForce([guard, fence]);
      expect(await current().state()).toBe(await current().freshState([guard, fence]));
    });

    test("is tried again when it is edited", async () => {
      await current().harness.block(guard);
      const driver = await current().startWith([guard, fence]);
      await driver.commit();
      await current().harness.unblock(guard);
      const edited = { ...guard, priority: 40 };
      driver.apply(edited);
      expect(await current().settle(driver)).toEqual([guard.key]);
      expect(await current().state()).toBe(await current().freshState([edited, fence]));
    });

    test("on an edit leaves in force what it said before, and lands when it is edited back", async () => {
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      const state = await current().state();
      const { ingress } = guard.rules;
      const second = rulesOf({}, { action: "allow", peers: [tenant("nobody")] }).slice(1);
      const grown = { ...guard, rules: { ingress: [...ingress, ...second], egress: [] } };
      await current().harness.block(grown);
      driver.apply(grown);
      const { settled, refused } = await driver.commit();
      expect([settled, [...refused.keys()]]).toEqual([[], [guard.key]]);
      expect(await current().state()).toBe(state);
      // What is written for others meanwhile changes nothing about it.
      driver.apply({ ...fence, priority: 21 });
      await current().settle(driver);
      await current().expectInForce([guard, fence]);
      driver.apply(fence);
      await current().settle(driver);
      await current().harness.unblock(grown);
      driver.apply(guard);
      expect(await current().settle(driver)).toEqual([guard.key]);
      expect(await current().state()).toBe(state);
    });

    test("can be removed, and is not settled by facts that change", async () => {
      await current().harness.block(guard);
      const driver = await current().startWith([guard, fence]);
      await driver.commit();
      driver.forgetPod(podKey("y", "p"));
      // A backend may leave out who was settled before.
      expect((await driver.commit()).settled).not.toContain(guard.key);
      driver.remove(guard.key);
      await current().settle(driver);
      await current().harness.unblock(guard);
      driver.seeWorld(smallWorld);
      await current().settle(driver);
      expect(await current().state()).toBe(await current().freshState([fence]));
    });
  });

  describe("a connection that is lost", () => {
    test("before a commit is an outcome, and says when there is work again", async () => {
      const driver = await current().startWith([guard, fence]);
      let calls = 0;
      driver.backend.onWork(() => {
        calls++;
      });
      await lose(current(), driver);
      expect(await driver.commit()).toEqual({
        settled: [],
        refused: new Map(),
        interrupted: expect.stringMatching(/^[^.]+$/),
      });
      await regain(current(), driver);
      expect(calls).toBeGreaterThan(0);
      expect(new Set(await current().settle(driver))).toEqual(new Set([guard.key, fence.key]));
      await current().expectInForce([guard, fence]);
    });

    test("during a commit leaves nothing out", async () => {
      const fresh = await current().freshState([guard, fence]);
      await current().harness.clear();
      const driver = await current().startWith([guard, fence]);
      const committed = driver.commit();
      await current().harness.cut();
      const { settled, refused, interrupted } = await committed;
      // Where the store was faster, the commit is done.
      expect(settled.length).toBe(interrupted === null ? 2 : 0);
      expect(refused.size).toBe(0);
      await regain(current(), driver);
      await current().settle(driver);
      expect(await current().state()).toBe(fresh);
    });

    test("before the answer leaves nothing out and writes nothing twice", async () => {
      const driver = await current().startWith([guard, fence]);
      current().harness.loseNextAnswer();
      const { settled, refused, interrupted } = await driver.commit();
      expect(settled).toEqual([]);
      expect(refused.size).toBe(0);
      expect(interrupted).not.toBeNull();
      const written = current().harness.written();
      await regain(current(), driver);
      expect(new Set(await current().settle(driver))).toEqual(new Set([guard.key, fence.key]));
      expect(current().harness.written()).toBe(written);
      await current().expectInForce([guard, fence]);
    });

    test("loses no edit, removal or fact of meanwhile", async () => {
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      const added = pod("y", "q", { ips: ["10.0.1.2"] });
      const edited = { ...guard, priority: 40 };
      await lose(current(), driver);
      driver.see(added);
      await driver.commit();
      driver.apply(edited);
      driver.remove(fence.key);
      await driver.commit();
      await regain(current(), driver);
      await current().settle(driver);
      await current().expectInForce([edited], { ...smallWorld, pods: [...smallWorld.pods, added] });
    });
  });
}

async function lose(stage: Stage, { backend }: Driver): Promise<void> {
  await stage.harness.cut();
  await eventually(() => {
    expect(backend.ready).toBe(false);
  });
}

async function regain(stage: Stage, driver: Driver): Promise<void> {
  await eventually(() => {
    // A connection that is still believed to be there is noticed to be lost first.
    expect(driver.backend.ready).toBe(false);
  });
  await stage.harness.restore();
  await stage.connected(driver);
}
