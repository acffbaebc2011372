// What a pod may cost where a rule is about all addresses but some pods', counted on a real ovsdb-server: it changes one element of
// the set of each family into at most as many as an address has bits, or back, however many pods there are.

import { expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { calicoInstalled } from "../proof/calico/worlds.ts";
import { actualTables } from "../support/actual-tables.ts";
import { rendering } from "../support/budget-world.ts";
import { gnp } from "../support/calico.ts";
import { freshTables } from "../support/controller.ts";
import type { Change } from "../support/describe-metered.ts";
import { changed, costOfChange, describeMetered } from "../support/describe-metered.ts";
import { namespace, pod } from "../support/facts.ts";

const { dialects, owners, tierLayout } = calicoInstalled;
const ofCalico = { ...rendering, installed: dialects, tierLayout };
const policy = gnp("all-but-web", {
  selector: "app == 'db'",
  ingress: [{ action: "Deny", source: { notSelector: "app == 'web'" } }],
});
const podOf = (app: string, at: number) =>
  pod("shop", `${app}-${at}`, { labels: { app }, ips: [`10.0.0.${at}`, `fd00::${at.toString(16)}`] });
const worldOf = (count: number): readonly WorldObject[] => [
  ...[policy, namespace("shop"), podOf("db", 200)],
  ...Array.from({ length: count }, (_, at) => podOf("web", at + 1)),
];
const newcomer = podOf("web", 129);

await describeMetered("a pod that is left out of all addresses", (meters) => {
  test.each<readonly [string, Change]>([
    ["comes", { set: [newcomer] }],
    ["goes", { gone: [podOf("web", 5)] }],
    ["is another", { gone: [podOf("web", 7)], set: [newcomer] }],
  ])("%s", async (_event, change) => {
    for (const count of [10, 100]) {
      const world = worldOf(count);
      const metered = await meters().run(world, [newcomer], ofCalico);
      const { writes, transactions } = await costOfChange(metered, change);
      expect(transactions).toBe(1);
      const elements = Object.entries(writes).map(([what, times]) => {
        expect(what).toMatch(/^mutate Address_Set: addresses/);
        const sizes = Array.from(what.matchAll(/[+-](\d+)/g), ([, size]) => Number(size));
        return times * sizes.reduce((sum, size) => sum + size, 0);
      });
      expect(elements.length).toBeGreaterThan(0);
      expect(elements.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2 * 20);
      expect(actualTables(metered.session.cache, rowOwners(owners))).toEqual(
        freshTables(changed(world, change), ofCalico),
      );
    }
  });
});
