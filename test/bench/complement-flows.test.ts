// How many OpenFlow rows a rule is that is about a network without 32 addresses: on a real OVN, with the match that the product
// writes. One for each network that is left; a negation would be a product of the addresses that are left out.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { Ground } from "../../bench/shapes/ground.ts";
import { calicoInstalled } from "../proof/calico/worlds.ts";
import { gnp } from "../support/calico.ts";
import { freshTables } from "../support/controller.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(60_000));

const network = "10.64.0.0/18";
const left = Array.from({ length: 32 }, (_, at) => `10.64.${2 * at + (at % 2)}.${(89 * at + 17) % 256}`);
const pods = [
  pod("shop", "db", { labels: { app: "db" }, ips: ["10.128.0.1"] }),
  ...left.map((address, at) => pod("shop", `web-${at}`, { labels: { app: "web" }, ips: [address] })),
];
const policies = { notSelector: "app == 'web'", notNets: left.map((address) => `${address}/32`) };

/** The match of the one rule, on the ground's port group, with the elements of sets in place of their names. */
function matchOf(source: object): string {
  const { dialects, tierLayout } = calicoInstalled;
  const policy = gnp("rest", { selector: "app == 'db'", ingress: [{ action: "Deny", source }] });
  const { ACL, Address_Set } = freshTables([policy, namespace("shop"), ...pods], {
    ...{ families: null, zone: null, installed: dialects, tierLayout },
  });
  const [rule, ...others] = ACL.filter(({ external_ids: ids }) => ids["gress-index"] === "0");
  if (rule === undefined || others.length > 0) throw new Error("the policy has not one rule");
  const sets = new Map(Address_Set.map(({ name, addresses }) => [`$${name}`, addresses.join(", ")]));
  return rule.match.replace(/@\w+/, "@pg").replace(/\$\w+/g, (name) => sets.get(name) ?? name);
}

await describeWithDataplane("a network without 32 addresses", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await Ground.open({ rules: 1, addresses: 2, subjects: 4 }, patience(30_000));
  });
  afterAll(async () => {
    await ground.close();
  });

  async function flowsOf(match: string, action: "allow-related" | "drop"): Promise<number> {
    const bare = await ground.dataplane.flows();
    await ground.come([[match]], action);
    const flows = (await ground.dataplane.flows()) - bare;
    await ground.go();
    expect(await ground.dataplane.flows()).toBe(bare);
    return flows;
  }

  test.each<readonly [string, object]>([
    ["notNets within nets", { nets: [network], notNets: policies.notNets }],
    ["a notSelector within nets", { nets: [network], notSelector: policies.notSelector }],
    ["a lone notSelector", { notSelector: policies.notSelector }],
  ])(
    "is at most 500 flows, and about twice as many where connections are tracked: %s",
    async (_name, source) => {
      const flows = await flowsOf(matchOf(source), "drop");
      expect(flows).toBeGreaterThan(left.length);
      expect(flows).toBeLessThanOrEqual(500);
      expect(await flowsOf(matchOf(source), "allow-related")).toBeLessThan(2.3 * flows);
    },
  );
});
