// The stages until flows stand, on a real OVN with a chassis: they come in order, their end is when the flows are there, and
// what goes leaves none. And what the form of rows was chosen by: a match about two families is more flows than one for each.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { shapes } from "../../bench/shapes/catalogue.ts";
import { Ground } from "../../bench/shapes/ground.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(60_000));

const size = { rules: 2, addresses: 10, subjects: 4 };

await describeWithDataplane("until the flow stands", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await Ground.open(size, patience(30_000));
  });
  afterAll(async () => {
    await ground.close();
  });

  /** OpenFlow rows of the rules in this shape; the ground is as before when it resolves. */
  async function flowsOf(group: string, name: RegExp): Promise<number> {
    const shape = shapes.find((one) => one.group === group && name.test(one.name));
    if (shape === undefined) throw new Error(`no shape ${String(name)} of ${group}`);
    const bare = await ground.dataplane.flows();
    await ground.come(Array.from({ length: size.rules }, (_, i) => shape.matches(i)));
    const flows = (await ground.dataplane.flows()) - bare;
    await ground.go();
    expect(await ground.dataplane.flows()).toBe(bare);
    return flows;
  }

  test("rows are in NB, then in SB, then flows, which are all there", async () => {
    const bare = await ground.dataplane.flows();
    const came = await ground.come([["outport == @pg && ip4.src == {$a, $b}"]]);
    const flows = await ground.dataplane.flows();
    expect(flows).toBeGreaterThan(bare + 2 * size.addresses);
    const pod = await ground.element([{ name: "a", family: "v4" }], 0, "insert");
    expect(await ground.dataplane.flows()).toBeGreaterThan(flows);
    for (const { nbMs, sbMs, flowsMs, cpu } of [came, pod]) {
      expect(nbMs).toBeGreaterThan(0);
      expect(sbMs).toBeGreaterThan(nbMs);
      expect(flowsMs).toBeGreaterThanOrEqual(sbMs);
      for (const ms of Object.values(cpu)) expect(ms).toBeGreaterThanOrEqual(0);
    }
    await ground.element([{ name: "a", family: "v4" }], 0, "delete");
    expect(await ground.dataplane.flows()).toBe(flows);
    await ground.go();
  });

  test("sets of selectors are as many flows as a set a rule, and one match of two families many more than one each", async () => {
    const rule = await flowsOf("one port", /documented/);
    expect(await flowsOf("one port", /^sets of selectors/)).toBe(rule);
    const apart = await flowsOf("two families", /an ACL a family/);
    expect(apart).toBeLessThan(2.1 * rule);
    expect(await flowsOf("two families", /in one ACL \(documented\)/)).toBeGreaterThan(1.5 * apart);
  });
});
