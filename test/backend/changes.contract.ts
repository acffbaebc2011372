// The backend contract, part one: policies and facts come, change and go, programs are started again, and nothing more is
// written than what differs.

import { describe, expect, test } from "@jest/globals";
import { podKey } from "../../src/model/facts.ts";
import { parseCidr } from "../../src/model/ip.ts";
import type { Policy, PortMatch } from "../../src/policy/ir.ts";
import { namespace, pod } from "../support/facts.ts";
import type { Driver } from "./driver.ts";
import { contractPolicy, rulesOf } from "./policies.ts";
import type { Stage } from "./stage.ts";
import { fence, guard, smallWorld, tenant } from "./stage.ts";

/** The guard's rule with another port by name. */
const ports = (port: PortMatch): Partial<Policy> => ({
  rules: {
    ingress: rulesOf({ peers: [tenant("y")], ports: [{ kind: "port", protocol: "tcp", port: 80 }, port] }),
    egress: [],
  },
});

export function changesContract(current: () => Stage): void {
  describe("policies", () => {
    test("that are upserted are settled and in force", async () => {
      const driver = await current().startWith([guard, fence]);
      await current().expectInForce([]);
      expect(new Set(await current().settle(driver))).toEqual(new Set([guard.key, fence.key]));
      expect(current().harness.written()).toBeGreaterThan(0);
      await current().expectInForce([guard, fence]);
    });

    test("are not written a second time", async () => {
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      const written = current().harness.written();
      await current().settle(driver);
      driver.apply(guard, { ...fence });
      driver.seeWorld(smallWorld);
      await current().settle(driver);
      expect(current().harness.written()).toBe(written);
    });

    test("are not written by the next program either, which settles them", async () => {
      await current().settle(await current().startWith([guard, fence]));
      const state = await current().state();
      const settled = await current().settle(await current().startWith([fence, guard]));
      expect(new Set(settled)).toEqual(new Set([guard.key, fence.key]));
      expect(current().harness.written()).toBe(0);
      expect(await current().state()).toBe(state);
    });

    test.each<readonly [string, Partial<Policy>]>([
      ["another priority", { priority: 30 }],
      ["another subject", { subject: [tenant("y")] }],
      ["no rules", { rules: { ingress: [], egress: [] } }],
      ["the other direction", { rules: { ingress: [], egress: guard.rules.ingress } }],
      ["another action", { rules: { ingress: rulesOf({ action: "pass" }), egress: [] } }],
      ["logging", { logging: { allow: null, deny: "info", pass: null, reject: null } }],
      ["a name of another protocol", ports({ kind: "named", name: "http", protocol: "udp" })],
      [
        "a name from other source ports",
        ports({ kind: "named", name: "http", source: { start: 1, end: 9 } }),
      ],
      ["a rule in front", { rules: { ingress: rulesOf({ action: "allow" }, {}), egress: [] } }],
    ])("that are edited end as if they had always been so: %s", async (_, change) => {
      const edited = { ...guard, ...change };
      const fresh = await current().freshState([edited, fence]);
      await current().harness.clear();
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      driver.apply(edited);
      expect(await current().settle(driver)).toContain(guard.key);
      expect(await current().state()).toBe(fresh);
      await current().expectInForce([edited, fence]);
      driver.apply(guard);
      await current().settle(driver);
      await current().expectInForce([guard, fence]);
    });

    test("that are removed leave nothing, and settle", async () => {
      const fresh = await current().freshState([fence]);
      await current().harness.clear();
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      driver.remove(guard.key);
      expect(await current().settle(driver)).toContain(guard.key);
      expect(await current().state()).toBe(fresh);
      await current().expectInForce([fence]);
    });

    test("that went while no program ran are swept", async () => {
      const fresh = await current().freshState([fence]);
      await current().settle(await current().startWith([guard, fence]));
      await current().settle(await current().startWith([fence]));
      expect(await current().state()).toBe(fresh);
    });

    test("say which of their named ports nobody declares", async () => {
      const ports = ["http", "nobodys"].map((name) => ({ kind: "named" as const, name }));
      const named = contractPolicy({
        name: "named",
        rules: { ingress: rulesOf({}, { ports }), egress: rulesOf({ peers: [tenant("y")], ports }) },
      });
      const { backend } = await current().startWith([named]);
      expect(backend.unmatchedPorts(named.key)).toEqual([
        { direction: "ingress", index: 1, name: "nobodys" },
        { direction: "egress", index: 0, name: "http" },
        { direction: "egress", index: 0, name: "nobodys" },
      ]);
    });
  });

  describe("what nobody desires", () => {
    test("stays as it is while its key is frozen, and goes when the key is removed", async () => {
      await current().settle(await current().startWith([guard, fence]));
      const state = await current().state();
      const driver = await current().startWith([fence]);
      driver.backend.freeze(guard.key);
      expect(await current().settle(driver)).not.toContain(guard.key);
      expect(current().harness.written()).toBe(0);
      expect(await current().state()).toBe(state);
      driver.remove(guard.key);
      await current().settle(driver);
      expect(await current().state()).toBe(await current().freshState([fence]));
    });

    test("is taken up when a frozen key is understood", async () => {
      await current().settle(await current().startWith([guard]));
      const driver = await current().startWith([]);
      driver.backend.freeze(guard.key);
      await current().settle(driver);
      const edited = { ...guard, priority: 40 };
      driver.apply(edited);
      expect(await current().settle(driver)).toContain(guard.key);
      expect(await current().state()).toBe(await current().freshState([edited]));
    });

    test("stays while its policy may exist, and goes with the next commit after that", async () => {
      await current().settle(await current().startWith([guard, fence]));
      const state = await current().state();
      let mayExist = true;
      const driver = await current().startWith([fence], { mayExist: (key) => mayExist && key === guard.key });
      expect(await current().settle(driver)).not.toContain(guard.key);
      expect(await current().state()).toBe(state);
      mayExist = false;
      await current().settle(driver);
      expect(await current().state()).toBe(await current().freshState([fence]));
    });

    test("goes when its policy was seen and went, whatever may exist", async () => {
      const driver = await current().startWith([guard], { mayExist: () => true });
      await current().settle(driver);
      driver.remove(guard.key);
      await current().settle(driver);
      expect(await current().state()).toBe(await current().freshState([]));
    });

    test("is left alone when it is somebody else's", async () => {
      await current().harness.plantForeign();
      const { foreign } = await current().harness.snapshot();
      expect(foreign).not.toBe("[]");
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      driver.remove(guard.key);
      await current().settle(driver);
      await current().settle(await current().startWith([]));
      expect((await current().harness.snapshot()).foreign).toBe(foreign);
    });
  });

  describe("facts", () => {
    test("that change are in force with the next commit, each policy of theirs settled", async () => {
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      const moved = pod("y", "p", { labels: { app: "a" }, ips: ["10.0.1.7", "fd00:0:0:1::7"] });
      const added = pod("x", "r", {
        ips: ["10.0.0.3"],
        ports: [{ name: "http", protocol: "tcp", port: 81 }],
      });
      const world = { ...smallWorld, pods: [...smallWorld.pods.slice(1, 2), moved, added] };
      driver.see(moved, added);
      driver.forgetPod(podKey("x", "p"));
      expect(new Set(await current().settle(driver))).toEqual(new Set([guard.key, fence.key]));
      await current().expectInForce([guard, fence], world);
    });

    test("about namespaces move all of their pods", async () => {
      const driver = await current().startWith([guard, fence]);
      await current().settle(driver);
      driver.see(namespace("y", { tenant: "x" }));
      await current().settle(driver);
      const namespaces = new Map([...smallWorld.namespaces, ["y", namespace("y", { tenant: "x" })]]);
      await current().expectInForce([guard, fence], { ...smallWorld, namespaces });
      driver.forgetNamespace("x");
      await current().settle(driver);
      await current().expectInForce([]);
    });

    test("cost what they touch, however many pods there are", async () => {
      const [few, many] = [await costsAmong(current(), 5), await costsAmong(current(), 300)];
      expect(many).toEqual(few);
    });

    test("of families that are served no more, or again, are what a fresh start writes", async () => {
      const both = await current().freshState([guard, fence]);
      const one = await current().freshState([guard, fence], { families: ["v4"] });
      expect(one).not.toBe(both);
      const driver = await current().startWith([guard, fence]);
      for (const [families, state] of [
        [["v4"], one],
        [["v4", "v6"], both],
      ] as const) {
        driver.backend.serve(families);
        await current().settle(driver);
        expect(await current().state()).toBe(state);
      }
    });
  });
}

/** What is written and what is looked at when one pod comes, moves and goes, by step. */
async function costsAmong(stage: Stage, pods: number): Promise<readonly (readonly [number, number])[]> {
  await stage.harness.clear();
  const driver = await stage.start();
  const network = parseCidr("198.51.100.0/24");
  if (network === null) throw new Error("not a network");
  const members = Array.from({ length: pods }, (_, n) =>
    pod("y", `m${n}`, { ips: [`10.1.${Math.floor(n / 200)}.${(n % 200) + 1}`] }),
  );
  const wide = contractPolicy({
    name: "wide",
    subject: [tenant("x")],
    rules: {
      ingress: rulesOf({ peers: [tenant("y")] }),
      egress: rulesOf({ peers: [tenant("y"), { kind: "network", cidr: network, except: [] }] }),
    },
  });
  driver.see(...smallWorld.namespaces.values(), ...members);
  driver.apply(wide, fence);
  await stage.settle(driver);
  const step = async (change: (to: Driver) => void) => {
    const before = [stage.harness.written(), driver.looked.elements] as const;
    change(driver);
    await stage.settle(driver);
    return [stage.harness.written() - before[0], driver.looked.elements - before[1]] as const;
  };
  const one = (last: number, place: string) => pod(place, "p", { ips: [`10.2.0.${last}`] });
  return [
    await step((to) => {
      to.see(one(1, "y"));
    }),
    await step((to) => {
      to.see(one(2, "y"));
    }),
    await step((to) => {
      to.forgetPod(podKey("y", "p"));
    }),
    await step((to) => {
      to.see(one(3, "x"));
    }),
  ];
}
