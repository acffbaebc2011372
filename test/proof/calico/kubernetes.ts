// Random NetworkPolicies and ClusterNetworkPolicies as manifests, for worlds in which Calico's policies order them.

import fc from "fast-check";
import type {
  ClusterPolicySpec,
  ClusterRule,
  LabelSelector,
  NetworkPolicySpec,
} from "../../oracle/calico/manifests.ts";
import { networks, portNames, portNumbers } from "../rules.ts";
import { labels } from "./selectors.ts";

const selector: fc.Arbitrary<LabelSelector> = fc.oneof(
  fc.constant({}),
  labels.map((matchLabels) => ({ matchLabels })),
  fc
    .record({
      key: fc.constantFrom("app", "tier"),
      operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const),
    })
    .map((one) => ({ matchExpressions: [one] })),
);
const number = fc.constantFrom(...portNumbers);
const protocol = fc.constantFrom("TCP" as const, "UDP" as const, "SCTP" as const);

const networkPeer = fc.oneof(
  fc.record({ podSelector: selector }),
  fc.record({ namespaceSelector: selector }),
  fc.record({ namespaceSelector: selector, podSelector: selector }),
  fc.constantFrom(...networks).map((cidr) => ({ ipBlock: { cidr } })),
  fc.constant({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.0.1.0/24", "10.0.0.17/32"] } }),
);
const networkPort = fc.oneof(
  fc.record({ protocol, port: number }),
  fc.record({ port: number }),
  fc.record({ protocol }),
  fc.record({ protocol, port: fc.constantFrom(...portNames) }),
  fc.constant({ port: 79, endPort: 81 }),
);
const networkRule = (side: "from" | "to") =>
  fc
    .record({
      peers: fc.option(fc.array(networkPeer, { minLength: 1, maxLength: 2 }), { freq: 2 }),
      ports: fc.option(fc.array(networkPort, { minLength: 1, maxLength: 2 }), { freq: 2 }),
    })
    .map(({ peers, ports }) => ({
      ...(peers === null ? {} : { [side]: peers }),
      ...(ports === null ? {} : { ports }),
    }));

export const networkPolicySpec: fc.Arbitrary<NetworkPolicySpec> = fc.oneof(
  fc.record({ podSelector: selector, ingress: fc.array(networkRule("from"), { maxLength: 2 }) }),
  fc.record({
    podSelector: selector,
    policyTypes: fc.constantFrom<NetworkPolicySpec["policyTypes"] & object>(
      ["Egress"],
      ["Ingress", "Egress"],
    ),
    ingress: fc.array(networkRule("from"), { maxLength: 2 }),
    egress: fc.array(networkRule("to"), { maxLength: 2 }),
  }),
);

const pods = fc.oneof(
  selector.map((namespaces) => ({ namespaces })),
  fc.record({ namespaceSelector: selector, podSelector: selector }).map((one) => ({ pods: one })),
);
const clusterProtocol = fc.oneof(
  fc
    .record({ name: fc.constantFrom("tcp", "udp", "sctp"), number })
    .map(({ name, number: port }) => ({ [name]: { destinationPort: { number: port } } })),
  fc.constant({ tcp: { destinationPort: { range: { start: 1, end: 52 } } } }),
  fc.constantFrom(...portNames).map((destinationNamedPort) => ({ destinationNamedPort })),
);

function clusterRule(side: "from" | "to", passes: boolean): fc.Arbitrary<ClusterRule> {
  const peer =
    side === "from"
      ? pods
      : fc.oneof(
          pods,
          fc.constantFrom(...networks).map((net) => ({ networks: [net] })),
        );
  return fc
    .record({
      action: fc.constantFrom<ClusterRule["action"]>("Accept", "Deny", passes ? "Pass" : "Deny"),
      peers: fc.array(peer, { minLength: 1, maxLength: 2 }),
      // None are drawn with this number: worlds with them are refused, where a network stands beside a named port.
      protocols: fc.option(fc.array(clusterProtocol, { minLength: 1, maxLength: 2 }), { freq: 1 }),
    })
    .map(({ action, peers, protocols }) => ({
      ...{ action, [side]: peers },
      ...(protocols === null ? {} : { protocols }),
    }));
}

/** Without its priority. */
export function clusterPolicySpec(passes: boolean): fc.Arbitrary<Omit<ClusterPolicySpec, "priority">> {
  return fc.record({
    tier: fc.constantFrom("Admin" as const, "Baseline" as const),
    subject: pods,
    ingress: fc.array(clusterRule("from", passes), { maxLength: 2 }),
    egress: fc.array(clusterRule("to", passes), { maxLength: 2 }),
  });
}
