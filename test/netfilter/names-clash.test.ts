// Two policies whose chains would have one name: the second is refused, and the first is in force. Hashes of 80 bits give no such pair
// to test with, so that here the hash of one key is that of the other.

import { afterAll, expect, jest, test } from "@jest/globals";
import * as crypto from "node:crypto";
import { tiers } from "../../src/policy/ir.ts";
import { contractPolicy, rulesOf } from "../backend/policies.ts";
import { eventually } from "../support/eventually.ts";

jest.unstable_mockModule("node:crypto", () => ({
  ...crypto,
  createHash: (algorithm: string) => {
    const hash = crypto.createHash(algorithm);
    return {
      update: (text: string) => hash.update(text.replace(/\/second$/, "/first")),
    };
  },
}));
const { fakeFilterHarness } = await import("../backend/netfilter-harness.ts");
const { Driver } = await import("../backend/driver.ts");

const policy = (name: string) =>
  contractPolicy({ name, tier: tiers.admin, rules: { ingress: rulesOf({ action: "deny" }) } });
const harness = fakeFilterHarness();
afterAll(() => harness.dispose());

test("the second of two policies with one name is refused, and the first is in force", async () => {
  await harness.connect();
  const driver = new Driver((membership) => harness.backend({ membership, mayExist: () => false }));
  driver.backend.serve(["v4"]);
  await eventually(() => {
    expect(driver.backend.ready).toBe(true);
  });
  driver.apply(policy("first"));
  expect((await driver.commit()).refused.size).toBe(0);
  driver.apply(policy("second"));
  const { refused, interrupted, settled } = await driver.commit();
  expect(interrupted).toBeNull();
  const message = expect.stringMatching(/^the name NG-IP-\S{16} stands for two different things/) as unknown;
  expect([...refused]).toMatchObject([[policy("second").key, { code: "RowRefused", message }]]);
  expect(settled).not.toContain(policy("second").key);
  driver.remove(policy("first").key);
  driver.backend.retry(policy("second").key);
  expect((await driver.commit()).refused.size).toBe(0);
});
