// For any input the dialect returns IR without an error, or errors without IR: most inputs are good policies with a few
// places overwritten.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { compiledOrRefused, deepAndWide } from "../../test/support/compiled-safely.ts";
import { overwrittenPlaces } from "../../test/support/overwritten.ts";
import { np, resolvesNothing } from "../../test/support/policies.ts";
import { networkPolicy } from "../../test/support/dialects.ts";

const selector = {
  matchLabels: { tenant: "blue" },
  matchExpressions: [{ key: "a", operator: "In", values: ["b"] }],
};
const good = {
  podSelector: selector,
  policyTypes: ["Ingress", "Egress"],
  ingress: [
    {
      from: [{ namespaceSelector: selector }, { namespaceSelector: selector, podSelector: {} }],
      ports: [{ protocol: "UDP", port: 53 }, { port: "web" }, { port: 1, endPort: 9 }],
    },
  ],
  egress: [
    { to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }], ports: [{ protocol: "SCTP" }] },
  ],
};

test("compile never throws, and rejects exactly when there is an error", () => {
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.oneof({ weight: 4, arbitrary: overwrittenPlaces(good) }, { weight: 1, arbitrary: fc.jsonValue() }),
      (spec) => {
        const { policy } = compiledOrRefused(spec, () =>
          networkPolicy.compile(np("p", spec), resolvesNothing),
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
  for (const spec of [deep, { podSelector: deep, ingress: wide }, { egress: [{ to: wide, ports: wide }] }])
    expect(networkPolicy.compile(np("p", spec), resolvesNothing).policy).toBeNull();
});
