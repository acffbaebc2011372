// For any input a dialect returns IR without an error, or errors without IR. Random JSON alone fails the first check,
// so most inputs are good policies with a few places overwritten.

import { expect, test } from "@jest/globals";
import { compiledOrRefused, deepAndWide } from "../../test/support/compiled-safely.ts";
import { overwrittenPlaces } from "../../test/support/overwritten.ts";
import { resolvesNothing } from "../../test/support/policies.ts";
import fc from "fast-check";
import type { PolicyObject } from "../model/object.ts";
import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./index.ts";

const selector = {
  matchLabels: { tenant: "blue" },
  matchExpressions: [{ key: "a", operator: "In", values: ["b"] }],
};
const good = {
  priority: 34,
  subject: { pods: { namespaceSelector: selector, podSelector: {} } },
  ingress: [
    {
      name: "in",
      action: "Pass",
      from: [{ namespaces: selector }],
      ports: [{ portNumber: { protocol: "UDP", port: 53 } }, { namedPort: "web" }],
    },
  ],
  egress: [
    {
      action: "Deny",
      to: [{ networks: ["10.0.0.0/8", "::/0"] }, { nodes: selector }],
      ports: [{ portRange: { start: 1, end: 2 } }],
    },
  ],
};

const mutated = overwrittenPlaces(good);

test("compile never throws, and rejects exactly when there is an error", () => {
  fc.assert(
    fc.property(
      fc.oneof(mutated, fc.jsonValue()),
      fc.string(),
      fc.oneof(fc.json(), fc.string()),
      (spec, name, text) => {
        const object: PolicyObject = {
          kind: "AdminNetworkPolicy",
          apiVersion: "policy.networking.k8s.io/v1alpha1",
          namespace: null,
          name,
          uid: null,
          generation: null,
          annotations: new Map([["k8s.ovn.org/acl-logging", text]]),
          spec,
        };
        for (const dialect of [adminNetworkPolicy, baselineAdminNetworkPolicy])
          compiledOrRefused(spec, () => dialect.compile(object, resolvesNothing));
      },
    ),
    { numRuns: 2000 },
  );
});

test("deep and wide inputs are answered in bounded time", () => {
  const { deep, wide } = deepAndWide();
  for (const spec of [
    deep,
    { subject: deep, ingress: wide, egress: [{ to: wide, action: deep, ports: wide }] },
  ]) {
    const object = { name: "x", annotations: new Map(), spec } as unknown as PolicyObject;
    const { policy } = adminNetworkPolicy.compile(object, resolvesNothing);
    expect(policy).toBeNull();
  }
});
