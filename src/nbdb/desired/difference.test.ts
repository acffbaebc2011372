// What an edit that brings or takes rules with subjects of their own makes pending.

import { expect, test } from "@jest/globals";
import { antrea } from "../../../test/support/dialects.ts";
import { acnp } from "../../../test/support/antrea.ts";
import { namespace, pod } from "../../../test/support/facts.ts";
import { Renderer } from "../../../test/support/renderer.ts";

const facts = [namespace("a"), pod("a", "one", { ips: ["10.0.0.1"], labels: { n: "0" } })];
const walls = (count: number) =>
  acnp("walls", {
    priority: 5,
    ingress: Array.from({ length: count }, (_, n) => ({
      action: "Drop",
      appliedTo: [{ podSelector: { matchLabels: { n: String(n) } } }],
      from: [{ namespaceSelector: {} }],
    })),
  });

test.each([
  ["comes", 40, 41],
  ["goes", 41, 40],
])("a group that %s is pending alone, beside many", (_, before, after) => {
  const renderer = new Renderer("list", facts, [antrea]);
  renderer.see(walls(before));
  const { pending } = renderer.see(walls(after));
  expect(pending).toMatchObject({ whole: false });
  expect([pending.portGroups.size, pending.ports.size, pending.acls.size]).toEqual([1, 0, 0]);
});

test.each([
  ["come", 10, 31],
  ["go", 31, 10],
])(
  "where many groups %s the unit is compared whole, so that their rows are written ahead",
  (_, before, after) => {
    const renderer = new Renderer("list", facts, [antrea]);
    renderer.see(walls(before));
    expect(renderer.see(walls(after)).pending).toMatchObject({ whole: true });
  },
);
