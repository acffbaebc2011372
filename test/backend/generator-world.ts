// Random worlds and the connections in them, for every backend alike. Places, labels, addresses and numbers are few, so that
// rules meet connections. On the pod network every pod of `world` has addresses of its own, so that an address says which
// pod it is; `podFact` makes no such promise.

import fc from "fast-check";
import type { HostNameFact, NamedPort, NamespaceFact, NodeFact, PodFact } from "../../src/model/facts.ts";
import { isOnPodNetwork, podKey } from "../../src/model/facts.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import { ip } from "../support/facts.ts";
import { hostNames, labelKeys, labelValues, portNames, portNumbers, protocols } from "./vocabulary.ts";

export const namespaceNames = ["x", "y"] as const;
export const podNames = ["p", "q", "r"] as const;
export const nodeNames = ["n", "m"] as const;

/** Every pod there can be: a store that needs to know a pod's port knows these. */
export const everyPod = namespaceNames.flatMap((namespace) =>
  podNames.map((name) => podKey(namespace, name)),
);

const outside = ["198.51.100.1", "203.0.113.9", "2001:db8::1"].map(ip);

const labels = fc
  .dictionary(fc.constantFrom(...labelKeys), fc.constantFrom(...labelValues))
  .map((table) => new Map(Object.entries(table)));
const rarely = fc.nat({ max: 7 }).map((n) => n === 0);

const containerPorts: fc.Arbitrary<readonly NamedPort[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...portNames),
    protocol: fc.constantFrom(...protocols),
    port: fc.constantFrom(...portNumbers),
  }),
  { maxLength: 2 },
);

function podAt(
  namespace: fc.Arbitrary<string>,
  name: fc.Arbitrary<string>,
  ips: fc.Arbitrary<readonly IpAddress[]>,
): fc.Arbitrary<PodFact> {
  return fc.record({
    kind: fc.constant("Pod"),
    namespace,
    name,
    labels,
    node: fc.constantFrom("n", "m", "n", "m", null),
    serviceAccount: fc.constantFrom("default", "robot"),
    hostNetwork: rarely,
    completed: rarely,
    ips,
    ports: containerPorts,
  });
}

/** Any of the pods, at addresses that others may have too. */
export const podFact: fc.Arbitrary<PodFact> = podAt(
  fc.constantFrom(...namespaceNames),
  fc.constantFrom(...podNames),
  fc.subarray(["10.0.0.1", "10.0.0.2", "10.0.1.1", "fd00::1", "fd00:0:0:1::1"].map(ip), { maxLength: 3 }),
);

export const namespaceFact: fc.Arbitrary<NamespaceFact> = fc.record({
  kind: fc.constant("Namespace"),
  name: fc.constantFrom(...namespaceNames),
  labels,
});

export const nodeFact: fc.Arbitrary<NodeFact> = fc.record({
  kind: fc.constant("Node"),
  name: fc.constantFrom(...nodeNames),
  labels,
  ips: fc.subarray(["172.18.0.2", "172.18.0.3", "fd18::2"].map(ip)),
  podFamilies: fc.constant([]),
});

/** At addresses of nobody, of pods and of nodes. */
export const hostNameFact: fc.Arbitrary<HostNameFact> = fc.record({
  kind: fc.constant("HostName"),
  name: fc.constantFrom(...hostNames),
  ips: fc.subarray([...outside, ...["10.0.0.1", "fd00:0:0:1::1", "172.18.0.2"].map(ip)], { maxLength: 3 }),
});

/** Facts of a cluster, as World of evaluate.ts wants them, and its pods. */
export interface GeneratedWorld {
  readonly namespaces: ReadonlyMap<string, NamespaceFact>;
  readonly nodes: readonly NodeFact[];
  readonly pods: readonly PodFact[];
  readonly hostNames: readonly HostNameFact[];
}

/** The pod's own addresses, of one family or both. */
function ownAddresses(scope: number, at: number): fc.Arbitrary<readonly IpAddress[]> {
  const [four, six] = [ip(`10.0.${scope}.${at + 1}`), ip(`fd00:0:0:${scope}::${at + 1}`)];
  return fc.constantFrom([four, six], [four], [six], [four, six], []);
}

/** Some namespaces are unknown and some pods have no address yet; both are part of the world. */
export const world: fc.Arbitrary<GeneratedWorld> = fc
  .record({
    namespaces: fc.tuple(...namespaceNames.map((name) => namespaceFact.map((fact) => ({ ...fact, name })))),
    missing: fc.nat({ max: 9 }),
    nodes: fc.uniqueArray(nodeFact, { maxLength: 2, selector: ({ name }) => name }),
    hostNames: fc.uniqueArray(hostNameFact, { maxLength: 3, selector: ({ name }) => name }),
    pods: fc.tuple(
      ...namespaceNames.flatMap((namespace, scope) =>
        podNames.map((name, at) => podAt(fc.constant(namespace), fc.constant(name), ownAddresses(scope, at))),
      ),
    ),
  })
  .map(({ namespaces, missing, nodes, pods, hostNames }) => ({
    namespaces: new Map(namespaces.filter((_, at) => at !== missing).map((fact) => [fact.name, fact])),
    ...{ nodes, pods, hostNames },
  }));

/** Every end that a connection can have in the world: pods at each of their addresses, nodes, and addresses outside. */
export function endsOf({ pods, nodes }: GeneratedWorld): readonly End[] {
  const visible = pods.filter(isOnPodNetwork);
  return [
    ...visible.flatMap((pod) => pod.ips.map((address): End => ({ ip: address, pod }))),
    ...nodes.flatMap((node) => node.ips.map((address): End => ({ ip: address, pod: null }))),
    ...outside.map((address): End => ({ ip: address, pod: null })),
  ];
}

const protocol = fc.constantFrom(...protocols);
const withPorts = fc.record(
  {
    protocol,
    port: fc.constantFrom(...portNumbers, 53),
    sourcePort: fc.constantFrom(...portNumbers, 53, 4000),
    translated: fc.constant(true as const),
  },
  { requiredKeys: ["protocol", "port"] },
);
/** Where the type is absent it is an echo request. */
const ofIcmp = fc.record(
  {
    protocol: fc.constant("icmp" as const),
    port: fc.constant(0),
    icmp: fc.record({ type: fc.constantFrom(0, 3, 8, 128), code: fc.constantFrom(0, 1) }),
  },
  { requiredKeys: ["protocol", "port"] },
);
const ofNumber = fc.record({ protocol: fc.constantFrom(0, 47, 255), port: fc.constant(0) });

/** Not two of one pod, whose connections are subject to no policy, nor two families, between which there is none. */
export function connectionsIn(given: GeneratedWorld): fc.Arbitrary<Connection> | null {
  const ends = endsOf(given);
  const pairs = ends.flatMap((from) =>
    ends
      .filter((to) => familyOf(to.ip) === familyOf(from.ip) && to.ip !== from.ip)
      .filter((to) => (from.pod ?? to.pod) !== null && from.pod !== to.pod)
      .map((to) => ({ from, to })),
  );
  if (pairs.length === 0) return null;
  return fc
    .tuple(
      fc.constantFrom(...pairs),
      fc.oneof(
        { weight: 4, arbitrary: withPorts },
        { weight: 2, arbitrary: ofIcmp },
        { weight: 1, arbitrary: ofNumber },
      ),
    )
    .map(([pair, message]): Connection => ({ ...pair, ...message }));
}
