// For any input the dialect returns IR without an error, or errors without IR: most inputs are good policies with a few
// places overwritten.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { compiledOrRefused, deepAndWide } from "../../test/support/compiled-safely.ts";
import { overwrittenPlaces } from "../../test/support/overwritten.ts";
import { cnp, resolvesNothing } from "../../test/support/policies.ts";
import { clusterNetworkPolicy } from "./index.ts";

const selector = {
  matchLabels: { tenant: "blue" },
  matchExpressions: [{ key: "a", operator: "In", values: ["b"] }],
};
const good = {
  tier: "Baseline",
  priority: 34,
  subject: { pods: { podSelector: selector } },
  ingress: [
    {
      name: "in",
      action: "Pass",
      from: [{ namespaces: selector }, { pods: { namespaceSelector: selector, podSelector: {} } }],
      protocols: [{ udp: { destinationPort: { number: 53 } } }, { destinationNamedPort: "web" }],
    },
  ],
  egress: [
    {
      action: "Accept",
      to: [{ networks: ["10.0.0.0/8", "::/0"] }, { nodes: selector }, { domainNames: ["*.example.org"] }],
      protocols: [{ sctp: { destinationPort: { range: { start: 1, end: 2 } } } }],
    },
  ],
};

test("compile never throws, and rejects exactly when there is an error", () => {
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.oneof({ weight: 4, arbitrary: overwrittenPlaces(good) }, { weight: 1, arbitrary: fc.jsonValue() }),
      fc.oneof(fc.json(), fc.string()),
      (spec, text) => {
        const object = { ...cnp("p", {}, text), spec };
        const { policy } = compiledOrRefused(spec, () =>
          clusterNetworkPolicy.compile(object, resolvesNothing),
        );
        if (policy !== null) accepted++;
      },
    ),
    { numRuns: 2000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test("deep and wide inputs are answered in bounded time", () => {
  const { deep, wide } = deepAndWide();
  const longName = `${"a-".repeat(500_000)}!`;
  for (const spec of [
    deep,
    { subject: deep, ingress: wide, egress: [{ to: wide, action: deep, protocols: wide }] },
    { ...good, egress: [{ action: "Accept", to: [{ domainNames: [longName] }] }] },
  ])
    expect(clusterNetworkPolicy.compile({ ...cnp("p", {}), spec }, resolvesNothing).policy).toBeNull();
});
