// Random worlds of NetworkPolicies of a few selectors, networks and ports, so that some are covered by others; and the policies without
// what findings are about.

import fc from "fast-check";
import type { Finding } from "../../src/lint/finding.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { namespace, pod } from "./facts.ts";
import { np } from "./policies.ts";

const apps = ["a", "b", "c"] as const;
const selector = fc.constantFrom<object>({}, ...apps.map((app) => ({ matchLabels: { app } })), {
  matchExpressions: [{ key: "app", operator: "NotIn", values: ["c"] }],
});
const podPeer = fc.oneof(
  selector.map((podSelector) => ({ podSelector })),
  selector.map((podSelector) => ({ namespaceSelector: {}, podSelector })),
);
const anyPeer = fc.oneof(
  { weight: 2, arbitrary: podPeer },
  fc.constantFrom("10.0.0.0/24", "10.0.0.0/30", "0.0.0.0/0").map((cidr) => ({ ipBlock: { cidr } })),
);
type Ports = readonly object[] | undefined;

const plainPorts = [undefined, [{ port: 80 }], [{ port: 80 }, { port: 53, protocol: "UDP" }]];
const anyPorts = fc.constantFrom<Ports>(...plainPorts, [{ port: 80, endPort: 90 }]);

function policiesWith(
  peer: fc.Arbitrary<object>,
  ports: fc.Arbitrary<Ports>,
): fc.Arbitrary<readonly PolicyObject[]> {
  const rule = fc.record({ from: fc.array(peer, { minLength: 1, maxLength: 2 }), ports });
  const spec = fc.record({ podSelector: selector, ingress: fc.array(rule, { maxLength: 3 }) });
  return fc
    .array(spec, { minLength: 2, maxLength: 4 })
    .map((specs) => specs.map((one, at) => np(`p${at}`, { ...one, policyTypes: ["Ingress"] })));
}

export const coveringPolicies = policiesWith(anyPeer, anyPorts);
/** Neither addresses nor ranges of ports decide anything. */
export const plainPolicies = policiesWith(podPeer, fc.constantFrom<Ports>(...plainPorts));

const pods = fc.array(fc.tuple(fc.constantFrom("shop", "other"), fc.constantFrom(...apps, "d")), {
  minLength: 2,
  maxLength: 5,
});
export const smallWorlds = pods.map((list): readonly WorldObject[] => [
  ...[namespace("shop"), namespace("other")],
  ...list.map(([space, app], at) => pod(space, `p${at}`, { labels: { app }, ips: [`10.0.0.${at + 1}`] })),
]);

/** Without the policies and rules that the findings are about. */
export function without(all: readonly PolicyObject[], findings: readonly Finding[]): readonly PolicyObject[] {
  const policiesOf = new Set(findings.filter((one) => one.rule === null).map(({ policy }) => policy.name));
  return all
    .filter(({ name }) => !policiesOf.has(name))
    .map((object) => {
      const gone = findings.flatMap((one) =>
        one.policy.name === object.name ? (one.rule?.index ?? []) : [],
      );
      const old = object.spec as { readonly ingress: readonly unknown[] };
      return { ...object, spec: { ...old, ingress: old.ingress.filter((_, at) => !gone.includes(at)) } };
    });
}
