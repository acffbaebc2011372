// The backend contract, of policies that are each about the pods of one namespace, in a tier that has no others: a backend may ask them
// by namespace. Their pods come, go and take over the addresses of others.

import { describe, expect, test } from "@jest/globals";
import { podKey } from "../../src/model/facts.ts";
import { namespacesNamed } from "../../src/model/selectable.ts";
import { everything } from "../../src/model/selector.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import { pod, podGroup, withLabels } from "../support/facts.ts";
import type { GeneratedWorld } from "./generator-world.ts";
import { contractPolicy, rulesOf } from "./policies.ts";
import type { Stage } from "./stage.ts";
import { smallWorld } from "./stage.ts";

/** Isolates the namespace's pods with a label, or all, but from pods of its own. */
function ofNamespace(name: string, namespace: string, app: string | null = null): Policy {
  const pods = app === null ? everything : withLabels({ app });
  return contractPolicy({
    ...{ name, namespace, tier: tiers.namespaced },
    subject: [podGroup(namespacesNamed([namespace]), pods)],
    unmatched: { ingress: "deny", egress: "deny" },
    rules: {
      ingress: rulesOf({ action: "allow", peers: [podGroup(namespacesNamed([namespace]))] }),
      egress: rulesOf({ action: "allow", peers: [podGroup(namespacesNamed([namespace]))] }),
    },
  });
}

const [first, second, other] = [
  ofNamespace("one", "x"),
  ofNamespace("two", "x", "a"),
  ofNamespace("one", "y"),
];
const all = [first, second, other];

/** The world with other pods. */
function withPods(...pods: GeneratedWorld["pods"]): GeneratedWorld {
  return { ...smallWorld, pods };
}

export function namespacesContract(current: () => Stage): void {
  describe("policies of namespaces", () => {
    test("are in force, and each is removed alone", async () => {
      const driver = await current().startWith(all);
      await current().settle(driver);
      await current().expectInForce(all);
      const left = [...all];
      for (const policy of all) {
        driver.remove(policy.key);
        left.shift();
        await current().settle(driver);
        await current().expectInForce(left);
      }
      await expectFresh(current(), []);
    });

    test("leave what the others write when one is removed", async () => {
      const driver = await current().startWith(all);
      await current().settle(driver);
      driver.remove(second.key);
      await current().settle(driver);
      await expectFresh(current(), [first, other]);
    });

    test("follow an address that a pod of another namespace takes over, before or after the first has left it", async () => {
      const [p, q, before] = smallWorld.pods;
      if (p === undefined || q === undefined || before === undefined)
        throw new Error("the world has three pods");
      const heir = pod("y", "p", { labels: { app: "a" }, ips: p.ips });
      const driver = await current().startWith(all);
      await current().settle(driver);
      driver.see(heir);
      await current().settle(driver);
      driver.forgetPod(podKey("x", "p"));
      await current().settle(driver);
      await current().expectInForce(all, withPods(heir, q));
      driver.see(p);
      await current().settle(driver);
      driver.see(before);
      await current().settle(driver);
      await current().expectInForce(all);
      await expectFresh(current(), all);
    });

    test.each([
      ["of a namespace with others", second],
      ["of a namespace of its own", other],
    ])("that are frozen stay, while those of others change: %s", async (_, frozen) => {
      await current().settle(await current().startWith(all));
      const others = all.filter((policy) => policy !== frozen);
      const driver = await current().start();
      driver.seeWorld(smallWorld);
      driver.apply(...others);
      driver.backend.freeze(frozen.key);
      await current().settle(driver);
      await current().expectInForce(all);
      for (const { key } of others) driver.remove(key);
      await current().settle(driver);
      await current().expectInForce([frozen]);
      driver.apply(...others);
      await current().settle(driver);
      await current().expectInForce(all);
      driver.remove(frozen.key);
      await current().settle(driver);
      await current().expectInForce(others);
    });

    test("stay frozen beside one about any pods, which comes into their tier", async () => {
      await current().settle(await current().startWith(all));
      const driver = await current().start();
      driver.seeWorld(smallWorld);
      const wide = contractPolicy({
        ...{ name: "wide", tier: tiers.namespaced },
        rules: { ingress: rulesOf({ action: "allow", peers: [podGroup(namespacesNamed(["y"]))] }) },
      });
      driver.apply(wide);
      for (const { key } of all) driver.backend.freeze(key);
      await current().settle(driver);
      await current().expectInForce([...all, wide]);
      driver.remove(wide.key);
      await current().settle(driver);
      await current().expectInForce(all);
    });
  });
}

/** What is stored is what a start with these policies on an empty store writes. */
async function expectFresh(stage: Stage, policies: readonly Policy[]): Promise<void> {
  const state = await stage.withoutHistory();
  await stage.freshState(policies);
  expect(await stage.withoutHistory()).toBe(state);
}
