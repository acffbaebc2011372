// For any input the dialect returns IR without an error, or errors without IR: most inputs are good policies with a few
// places overwritten.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { overwrittenPlaces } from "../../test/support/overwritten.ts";
import { np, resolvesNothing } from "../../test/support/policies.ts";
import { networkPolicy } from "./index.ts";

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
        const before = JSON.stringify(spec);
        const { policy, problems } = networkPolicy.compile(np("p", spec), resolvesNothing);
        expect(policy === null).toBe(problems.some((problem) => problem.severity === "error"));
        expect(problems.length).toBeLessThanOrEqual(40);
        for (const problem of problems) expect(`${problem.field} ${problem.message}`).not.toMatch(/\p{C}/u);
        expect(JSON.stringify(spec)).toBe(before);
        if (policy !== null) accepted++;
      },
    ),
    { numRuns: 2000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test("deep and wide inputs are answered in bounded time", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const wide = Array.from({ length: 1_000_000 }, () => deep);
  for (const spec of [deep, { podSelector: deep, ingress: wide }, { egress: [{ to: wide, ports: wide }] }])
    expect(networkPolicy.compile(np("p", spec), resolvesNothing).policy).toBeNull();
});
