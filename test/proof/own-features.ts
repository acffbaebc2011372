// What the worlds with NetworkPolicies of ours are said to hold, each as a question to one world. Counted, not believed:
// coverage.test.ts.

import { directions } from "../../src/policy/ir.ts";
import type { Seen } from "./features.ts";
import { written } from "./features.ts";
import { isNetworkPolicy } from "./network-policy-changes.ts";

/** By name: whether a world has it, and how many of the sampled worlds must. */
export const ownFeatures: Readonly<Record<string, readonly [(seen: Seen) => boolean, least: number]>> = {
  "a NetworkPolicy": [({ policies }) => policies.some(isNetworkPolicy), 100],
  "several of one namespace": [
    ({ policies }) => {
      const spaces = policies.filter(isNetworkPolicy).map(({ namespace }) => namespace);
      return new Set(spaces).size < spaces.length;
    },
    50,
  ],
  "one beside an AdminNetworkPolicy and a BaselineAdminNetworkPolicy": [
    ({ policies }) => {
      const kinds = new Set(policies.map(({ kind }) => kind));
      return ["NetworkPolicy", "AdminNetworkPolicy", "BaselineAdminNetworkPolicy"].every((kind) =>
        kinds.has(kind),
      );
    },
    20,
  ],
  "one beside a ClusterNetworkPolicy": [
    ({ policies }) => policies.some(({ kind }) => kind === "ClusterNetworkPolicy"),
    20,
  ],
  "policyTypes of ingress alone": [written(/"policyTypes":\["Ingress"\]/), 50],
  "policyTypes of egress alone": [written(/"policyTypes":\["Egress"\]/), 50],
  "policyTypes of both": [written(/"policyTypes":\["Ingress","Egress"\]/), 50],
  "rules of a direction that does not count": [
    ({ policies }) =>
      policies.filter(isNetworkPolicy).some((policy) => {
        const text = JSON.stringify(policy.spec);
        return text.includes('"policyTypes":["Ingress"]') && text.includes('"egress":[{');
      }),
    20,
  ],
  "an isolation without a rule": [
    ({ compiled }) =>
      compiled.some(({ rules, unmatched }) =>
        directions.some((one) => unmatched[one] === "deny" && rules[one].length === 0),
      ),
    50,
  ],
  "a namespaceSelector with a podSelector": [written(/"namespaceSelector":\{[^[\]]*\},"podSelector"/), 20],
  "an ipBlock with exceptions": [written(/"ipBlock":\{"cidr":"[^"]*","except":\["/), 50],
  "a rule of every peer": [written(/"ingress":\[[^\]]*\{("ports":|\})/), 20],
  "a range of ports": [written(/"endPort"/), 50],
  "a port by name": [written(/"port":"/), 50],
  "one whose allows follow no connections": [
    ({ compiled }) =>
      compiled.some(
        ({ stateless, rules }) => stateless === true && directions.some((one) => rules[one].length > 0),
      ),
    50,
  ],
  "one beside another of its namespace that follows them": [
    ({ compiled }) => {
      const own = compiled.filter(({ tier }) => tier.name === "namespaced");
      return own.some((one) =>
        own.some((other) => one.ref.namespace === other.ref.namespace && one.stateless !== other.stateless),
      );
    },
    20,
  ],
  "a protocol without a port": [written(/\{"protocol":"(TCP|UDP|SCTP)"\}/), 10],
};
