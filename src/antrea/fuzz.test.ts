// For any input the dialect returns IR, or errors without IR: most inputs are good policies with a few places overwritten.
// Of what it returns in spite of errors, no rule that allows has been made wider.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { acnp, annp, clusterGroup, resolving } from "../../test/support/antrea.ts";
import { compiledSafely, deepAndWide } from "../../test/support/compiled-safely.ts";
import { overwrittenPlaces } from "../../test/support/overwritten.ts";
import { antrea } from "../../test/support/dialects.ts";

const selector = { matchLabels: { tenant: "blue" } };
const good = {
  tier: "platform",
  priority: 5.5,
  appliedTo: [{ podSelector: selector }, { group: "g" }],
  ingress: [
    {
      action: "Allow",
      name: "in",
      from: [{ podSelector: selector, namespaceSelector: selector }, { group: "g" }, { fqdn: "x" }],
      ports: [{ protocol: "UDP", port: 53 }, { port: "web" }, { port: 1, endPort: 9, sourcePort: 4 }],
    },
    { action: "Drop", protocols: [{ igmp: {} }] },
  ],
  egress: [
    {
      action: "Pass",
      to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
      protocols: [{ icmp: {} }],
    },
    { action: "Reject", to: [{ nodeSelector: selector }], enableLogging: true, logLabel: "l" },
  ],
};
const fine = {
  ...good,
  ingress: [{ ...good.ingress[0], from: [{ podSelector: selector }] }, good.ingress[1]],
};
const groupSpec = { childGroups: ["h"], podSelector: null };

test("compile never throws, and rejects only with an error", () => {
  let [accepted, closed] = [0, 0];
  fc.assert(
    fc.property(
      fc.oneof({ weight: 4, arbitrary: overwrittenPlaces(fine) }, { weight: 1, arbitrary: fc.jsonValue() }),
      overwrittenPlaces(groupSpec),
      fc.boolean(),
      (spec, inGroup, isCluster) => {
        const { resolve } = resolving(
          clusterGroup("g", inGroup),
          clusterGroup("h", { podSelector: selector }),
        );
        const object = isCluster ? acnp("p", spec) : annp("p", spec);
        const { policy, problems } = compiledSafely(spec, () => antrea.compile(object, resolve), 80);
        const errors = problems.filter(({ severity }) => severity === "error");
        if (policy === null) expect(errors.length).toBeGreaterThan(0);
        if (policy !== null && errors.length === 0) accepted++;
        if (policy !== null && errors.length > 0) closed++;
      },
    ),
    { numRuns: 2000 },
  );
  expect(accepted).toBeGreaterThan(100);
  expect(closed).toBeGreaterThan(0);
});

test("deep and wide inputs are answered in bounded time", () => {
  const { deep, wide } = deepAndWide();
  for (const spec of [
    deep,
    { ...good, appliedTo: deep, ingress: wide },
    { ...good, egress: [{ to: wide, ports: wide }] },
  ])
    expect(antrea.compile(acnp("p", spec), resolving().resolve).policy).toBeNull();
});
