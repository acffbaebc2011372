// Random TrafficPolicies and the PodSets that they refer to, fit for packets: every value of the IR that no kind of today
// can say. Every policy made here is accepted by its dialect; whether a backend has a place for it is the backend's to say.

import fc from "fast-check";
import type { HostNameFact } from "../../src/model/facts.ts";
import type { PolicyObject, ReferencedObject } from "../../src/model/object.ts";
import { networks, portNames, portNumbers } from "../proof/rules.ts";
import { ip } from "../support/facts.ts";
import { labels, selector, sometimes } from "../scenarios/worlds.ts";
import { podSetKind, trafficPolicyKind } from "./kinds.ts";

const setNames = ["web", "data", "nobody"];
const policyNames = ["t-one", "t-two", "t-three", "t-four"];

const answered = [
  ...["172.18.0.1", "172.18.0.3", "203.0.113.0", "203.0.113.255", "198.51.100.7"],
  ...["fd18::1", "fd18::3", "2001:db8::", "2001:db9::"],
];

const plainPods = fc
  .record(
    { namespaces: selector, pods: selector, serviceAccount: fc.constantFrom("default", "robot") },
    { requiredKeys: [] },
  )
  .map((pods) => ({ pods }));
const setReference = fc.constantFrom(...setNames).map((set) => ({ set }));
const somePods = fc.oneof({ weight: 4, arbitrary: plainPods }, { weight: 1, arbitrary: setReference });
const appliedTo = fc.array(somePods, { minLength: 1, maxLength: 2 });

const network = fc
  .uniqueArray(fc.constantFrom(...networks), { minLength: 1, maxLength: 4 })
  .map((chosen) => ({ network: chosen }));
/** Everything of a family, too, and exceptions of which some lie in none of the networks. */
const addresses = fc.record({
  networks: fc.uniqueArray(fc.constantFrom(...networks), { minLength: 1, maxLength: 3 }),
  except: fc.uniqueArray(fc.constantFrom(...networks.filter((one) => !one.endsWith("/0"))), { maxLength: 2 }),
});
const narrowed = fc.tuple(somePods, addresses).map(([of, by]) => ({ narrowed: { of, by } }));
const same = fc
  .record({ keys: fc.constantFrom([], [], ["app"], ["tier", "app"]), pods: selector })
  .map((peer) => ({ same: peer }));
const podPeer = fc.oneof(
  { weight: 3, arbitrary: somePods },
  { weight: 2, arbitrary: same },
  { weight: 2, arbitrary: narrowed },
);
const anyPeer = fc.oneof(
  { weight: 3, arbitrary: podPeer },
  { weight: 2, arbitrary: network },
  { weight: 1, arbitrary: selector.map((nodes) => ({ nodes })) },
  { weight: 1, arbitrary: fc.constant({ everyone: {} }) },
);

const leavingPeer = fc.oneof(
  { weight: 4, arbitrary: anyPeer },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("www.example.org", "*.example.org", "*", "nobody.test")
      .map((pattern) => ({ hosts: pattern })),
  },
);

const protocol = fc.constantFrom("tcp", "udp", "sctp");
/** Around the source ports that packets have. */
const source = fc.option(
  fc.constantFrom({ start: 30_000, end: 30_010 }, { start: 30_005, end: 30_005 }, { start: 1, end: 65_535 }),
  { freq: 2 },
);
const withSource = (own: object, from: object | null) => (from === null ? own : { ...own, source: from });
const port = fc
  .tuple(protocol, fc.constantFrom(...portNumbers), source)
  .map(([of, start, from]) => ({ port: withSource({ protocol: of, start }, from) }));
const range = fc
  .tuple(protocol, fc.constantFrom([79, 81], [1, 52], [54, 65_535]), source)
  .map(([of, [start, end], from]) => ({ range: withSource({ protocol: of, start, end }, from) }));
const name = fc
  .tuple(fc.constantFrom(...portNames), fc.option(protocol, { freq: 2 }), source)
  .map(([of, only, from]) => ({
    name: withSource({ name: of, ...(only === null ? {} : { protocol: only }) }, from),
  }));
const list = fc.record({
  ranges: fc.subarray([
    { start: 79, end: 8080 },
    { start: 30_000, end: 30_010 },
    { start: 1, end: 65_535 },
  ]),
  names: fc.subarray(portNames),
});
const end = fc.option(
  fc.tuple(list, list).map(([ports, except]) => ({ ...ports, except: { ...except, ranges: [] } })),
  { freq: 2, nil: undefined },
);
const declared = fc
  .record({ protocol, from: end, to: end })
  .map((ends) => ({ declared: JSON.parse(JSON.stringify(ends)) as object }));
const number = fc.constantFrom(1, 6, 17, 47, 50, 58, 132).map((of) => ({ number: of }));
const icmp = fc
  .record(
    { family: fc.constantFrom("v4", "v6"), type: fc.constantFrom(8, 13, 128), code: fc.constantFrom(0, 1) },
    { requiredKeys: [] },
  )
  .map((match) => ({ icmp: match }));
const numbers = fc
  .subarray([0, 1, 6, 17, 47, 50, 58, 132], { minLength: 1 })
  .map((list) => ({ numbers: list }));
const otherIcmp = fc
  .record(
    { family: fc.constantFrom("v4", "v6"), type: fc.constantFrom(8, 13, 128), code: fc.constantFrom(0, 1) },
    { requiredKeys: ["family", "type"] },
  )
  .map((match) => ({ otherIcmp: match }));
const numbered = fc.oneof(port, range, number, icmp, numbers, otherIcmp);
const trafficOf = (one: fc.Arbitrary<object>) =>
  fc.option(fc.array(one, { minLength: 1, maxLength: 3 }), { freq: 2 });

function rule(
  actions: readonly string[],
  peers: fc.Arbitrary<object>,
  one: fc.Arbitrary<object>,
): fc.Arbitrary<object> {
  return fc
    .record({
      action: fc.constantFrom(...actions),
      peers: fc.array(peers, { minLength: 1, maxLength: 2 }),
      traffic: trafficOf(one),
      own: fc.option(appliedTo, { freq: 3 }),
      ownAddresses: sometimes(addresses),
      logLabel: sometimes(fc.constantFrom("audit", "a-b.c")),
    })
    .map(({ action, peers: list, traffic, own, ownAddresses, logLabel }) => ({
      ...{ action, peers: list },
      ...(traffic === null ? {} : { traffic }),
      ...(own === null ? {} : { appliedTo: own }),
      ...(ownAddresses.length === 0 ? {} : { ownAddresses: ownAddresses[0] }),
      ...(logLabel.length === 0 ? {} : { logLabel: logLabel[0] }),
    }));
}

/** Packets here go straight to their pods: such a rule must decide none. */
const through = (one: object) => ({ ...one, throughService: true });

const several = (one: fc.Arbitrary<object>) => fc.array(one, { maxLength: 3 });
const isolates = fc.constantFrom([], [], [], ["ingress"], ["egress"], ["ingress", "egress"]);

/** A place in the order of a tier. No priority: the last one. */
interface Place {
  readonly priority?: number;
  readonly tie?: string;
}

const at = (...priorities: readonly number[]): readonly Place[] =>
  priorities.map((priority) => ({ priority }));
/** Of one priority, in the order of their texts. */
const tied = (place: Place): readonly Place[] => ["a", "b", "c"].map((tie) => ({ ...place, tie }));

function spec(tier: string, places: readonly Place[], actions: readonly string[]) {
  // Names are looked up on pods: beside a network, what leaves has none.
  const outgoing = fc.oneof(
    rule(actions, podPeer, fc.oneof(numbered, name, declared)),
    rule(actions, leavingPeer, numbered),
  );
  return fc
    .record({
      tier: fc.constant(tier),
      place: fc.constantFrom(...places),
      appliedTo,
      isolates,
      ingress: several(rule(actions, anyPeer, fc.oneof(numbered, name, declared))),
      egress: several(
        fc.oneof({ weight: 5, arbitrary: outgoing }, { weight: 1, arbitrary: outgoing.map(through) }),
      ),
    })
    .map(({ place, ...rest }) => ({ ...rest, ...place }));
}

const every = ["allow", "deny", "pass", "reject"];
/** Of a tier that others follow in its OVN tier, nothing passes. */
const final = ["allow", "deny", "reject"];
/** The places around the documented ones, and between them. */
const anySpec = fc.oneof(
  { weight: 3, arbitrary: spec("admin", [...at(-7, -3, 3, 1007), ...tied({ priority: 1001 })], every) },
  { weight: 1, arbitrary: spec("dawn", [...at(0), ...tied({ priority: 1 })], final) },
  { weight: 2, arbitrary: spec("early", [...at(0), ...tied({ priority: 1 }), ...tied({})], every) },
  { weight: 1, arbitrary: spec("namespaced", tied({ priority: 1 }), final) },
  { weight: 1, arbitrary: spec("baseline", [...at(-2, 2), {}], final) },
  { weight: 1, arbitrary: spec("last", [...at(2), ...tied({})], every) },
);

/** Of one place each in its tier: what equals mean together is left open. */
export const trafficPolicies: fc.Arbitrary<readonly PolicyObject[]> = fc
  .uniqueArray(anySpec, {
    minLength: 1,
    maxLength: policyNames.length,
    selector: ({ tier, priority, tie }) => [tier, priority, tie].join(" "),
  })
  .map((specs) => specs.map((one, n) => trafficObject(policyNames[n] ?? `t-${n}`, one)));

export const podSets: fc.Arbitrary<readonly ReferencedObject[]> = fc
  .tuple(
    fc.subarray(setNames.slice(0, 2)),
    fc.array(fc.tuple(labels, selector), { minLength: 2, maxLength: 2 }),
  )
  .map(([names, specs]) =>
    names.map((setName, n) => {
      const [table, pods] = specs[n] ?? [{}, {}];
      return podSetObject(setName, { namespaces: { matchLabels: table }, pods });
    }),
  );

/** Answers at addresses outside, of a node and of pods. */
export const hostNames: fc.Arbitrary<readonly HostNameFact[]> = fc.uniqueArray(
  fc.record({
    kind: fc.constant("HostName"),
    name: fc.constantFrom("www.example.org", "api.example.org", "example.org", "www.test"),
    ips: fc.subarray(answered.map(ip), { maxLength: 4 }),
  }),
  { maxLength: 3, selector: ({ name: of }) => of },
);

export function trafficObject(objectName: string, given: object): PolicyObject {
  return {
    ...{
      kind: "TrafficPolicy",
      apiVersion: `${trafficPolicyKind.group}/v1`,
      namespace: null,
      name: objectName,
      uid: null,
    },
    ...{ generation: null, annotations: new Map(), spec: given },
  };
}

export function podSetObject(objectName: string, given: object): ReferencedObject {
  return { ...trafficObject(objectName, given), kind: podSetKind.kind, labels: new Map() };
}
