// Random policies of Antrea's kinds beside those of all others: tiers of every sort, priorities that meet, rules with pods of
// their own, groups with children, Self and sameLabels, service accounts, nodes, networks, ports of both ends, ICMP. A few
// parts cannot be said, so that closed rules meet packets too. Every policy made here is accepted by its dialect.

import fc from "fast-check";
import { everyKind, installed } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { selector } from "../scenarios/worlds.ts";
import { acnp, annp, clusterGroup, group, service, tier } from "../support/antrea.ts";
import { spaces } from "./pods.ts";
import { networks, portNames, portNumbers } from "./rules.ts";
import type { ProofWorld } from "./worlds.ts";
import { worldText } from "./worlds.ts";
import { kindFlags } from "../support/dialects.ts";

/** All kinds. */
export const antreaDialects = installed({ ...everyKind, ...kindFlags({ stateless: true }) }).dialects;

const exceptions: Readonly<Record<string, readonly string[]>> = {
  "0.0.0.0/0": ["10.0.0.0/24", "172.18.0.0/16"],
  "10.0.0.0/8": ["10.0.1.0/24", "10.0.0.17/32"],
  "::/0": ["fd00:0:0:1::/64"],
};
const ipBlock = fc
  .constantFrom(...networks)
  .map((cidr) => ({ ipBlock: { cidr, except: exceptions[cidr] ?? [] } }));
const selectors = fc.oneof(
  fc.record({ podSelector: selector }),
  fc.record({ namespaceSelector: selector }),
  fc.record({ namespaceSelector: selector, podSelector: selector }),
);
const groupNames = ["ga", "gb", "gc", "later"];
const named = fc.constantFrom(...groupNames).map((name) => ({ group: name }));
const serviceAccount = fc.record({
  serviceAccount: fc.record({
    name: fc.constantFrom("default", "runner"),
    namespace: fc.constantFrom(...spaces),
  }),
});
const labelKeys = fc.constantFrom(["tier"], ["app"], ["tier", "app"]);
const sameNamespaces = fc.oneof(
  fc.constant({ namespaces: { match: "Self" } }),
  fc.record({ namespaces: fc.constant({ match: "Self" }), podSelector: selector }),
  labelKeys.map((sameLabels) => ({ namespaces: { sameLabels } })),
);
const common = fc.oneof(
  { weight: 6, arbitrary: selectors },
  { weight: 3, arbitrary: ipBlock },
  { weight: 2, arbitrary: named },
  { weight: 1, arbitrary: selector.map((nodeSelector) => ({ nodeSelector })) },
  { weight: 1, arbitrary: fc.constant({ externalEntitySelector: {} }) },
);
const clusterPeer = fc.oneof(
  { weight: 5, arbitrary: common },
  { weight: 2, arbitrary: sameNamespaces },
  { weight: 1, arbitrary: serviceAccount },
);

const protocol = fc.constantFrom("TCP", "UDP", "SCTP");
const port = fc.oneof(
  { weight: 4, arbitrary: fc.record({ protocol, port: fc.constantFrom(...portNumbers) }) },
  { weight: 1, arbitrary: protocol.map((one) => ({ protocol: one, port: 79, endPort: 81 })) },
  { weight: 2, arbitrary: fc.record({ protocol, port: fc.constantFrom(...portNames) }) },
  { weight: 1, arbitrary: fc.record({ protocol }) },
  {
    weight: 1,
    arbitrary: protocol.map((one) => ({ protocol: one, sourcePort: 30000, sourceEndPort: 30010 })),
  },
);
const icmp = fc.constantFrom(
  { icmp: {} },
  { icmp: { icmpType: 8 } },
  { icmp: { icmpType: 128, icmpCode: 0 } },
);
const traffic = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: fc.array(port, { minLength: 1, maxLength: 3 }).map((ports) => ({ ports })) },
  { weight: 1, arbitrary: icmp.map((one) => ({ protocols: [one] })) },
  {
    weight: 1,
    arbitrary: fc.tuple(port, icmp).map(([one, other]) => ({ ports: [one], protocols: [other] })),
  },
);

interface Draft {
  readonly name: string;
  readonly action: string;
  readonly peers: readonly object[] | null;
  readonly traffic: object;
}

const rules = (peer: fc.Arbitrary<object>, actions: readonly string[]) =>
  fc.array(
    fc.record<Draft>({
      name: fc.constant(""),
      action: fc.constantFrom(...actions),
      peers: fc.option(fc.array(peer, { minLength: 1, maxLength: 2 }), { freq: 5 }),
      traffic,
    }),
    { maxLength: 3 },
  );

/** Straight from pod to pod, which is how packets go here, no rule about Services decides anything. */
const throughServices = fc
  .subarray([...spaces], { minLength: 1, maxLength: 2 })
  .map((namespaces) => ({ toServices: namespaces.map((namespace) => ({ name: "s", namespace })) }));
const egressRules = (peer: fc.Arbitrary<object>, actions: readonly string[]) =>
  fc.tuple(
    rules(peer, actions),
    fc.option(fc.record({ action: fc.constantFrom(...actions), services: throughServices }), { freq: 2 }),
  );

const ruleOf = (side: "from" | "to", draft: Draft, at: number, own: object): object => ({
  ...{ name: `${side}-${at}`, action: draft.action, ...draft.traffic, ...own },
  ...(draft.peers === null ? {} : { [side]: draft.peers }),
});

const tierNames = ["", "emergency", "SecurityOps", "mine", "baseline"];
const priority = fc.constantFrom(1, 5, 5, 5.5, 10_000);

function specs(peer: fc.Arbitrary<object>, entry: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.constantFrom(...tierNames).chain((name) => {
    const actions =
      name === "baseline" ? ["Allow", "Drop", "Reject"] : ["Allow", "Drop", "Pass", "Pass", "Reject"];
    return fc
      .record({
        ...{ priority, applied: fc.array(entry, { minLength: 1, maxLength: 2 }), inRules: fc.boolean() },
        ...{ ingress: rules(peer, actions), egress: egressRules(peer, actions), other: entry },
      })
      .map(({ applied, inRules, ingress, egress: [egress, through], other, ...rest }) => {
        const apart = inRules && ingress.length + egress.length > 0;
        const own = (at: number) => (apart ? { appliedTo: at === 0 ? applied : [other] } : {});
        return {
          ...{ tier: name, priority: rest.priority, ...(apart ? {} : { appliedTo: applied }) },
          ingress: ingress.map((draft, at) => ruleOf("from", draft, at, own(at))),
          egress: [
            ...(through === null
              ? []
              : [{ name: "through", action: through.action, ...through.services, ...own(0) }]),
            ...egress.map((draft, at) => ruleOf("to", draft, at, own(at))),
          ],
        };
      });
  });
}

const clusterEntry = fc.oneof({ weight: 4, arbitrary: selectors }, named, serviceAccount);
const ownEntry = fc.oneof(
  { weight: 4, arbitrary: fc.record({ podSelector: selector }) },
  fc.constant({}),
  named,
);
const clusterPolicies = fc.array(specs(clusterPeer, clusterEntry), { minLength: 1, maxLength: 3 });
const ownPolicies = fc.array(
  fc.record({ namespace: fc.constantFrom(...spaces), spec: specs(common, ownEntry) }),
  { maxLength: 2 },
);

const groupSpec = fc.oneof(
  { weight: 3, arbitrary: selectors },
  fc.record({ podSelector: selector }),
  fc.constantFrom(...networks).map((cidr) => ({ ipBlocks: [{ cidr }] })),
  fc.constantFrom(...spaces).map((namespace) => ({ serviceReference: { name: "s", namespace } })),
);
const others: fc.Arbitrary<readonly WorldObject[]> = fc
  .record({ a: groupSpec, b: groupSpec, app: fc.constantFrom("x", "y", "z") })
  .map(({ a, b, app }) => [
    tier("mine", { priority: 120 }),
    ...[
      clusterGroup("ga", a),
      clusterGroup("gb", b),
      clusterGroup("gc", { childGroups: ["ga", "gb", "later"] }),
    ],
    ...spaces.flatMap((space) => [
      group("ga", { podSelector: { matchLabels: { app } } }, space),
      group("gb", b, space),
      service("s", { selector: { app }, ports: [{ port: 79, targetPort: 80 }] }, space),
    ]),
  ]);

/** The same worlds with policies of Antrea's. */
export function withAntrea(worlds: fc.Arbitrary<ProofWorld>): fc.Arbitrary<ProofWorld> {
  return fc.tuple(worlds, clusterPolicies, ownPolicies, others).map(([world, cluster, own, referred]) => {
    const objects = [
      ...world.objects,
      ...referred,
      ...cluster.map((spec, at) => acnp(`ac-${at}`, spec)),
      ...own.map(({ namespace, spec }, at) => annp(`an-${at}`, spec, namespace)),
    ];
    const made: ProofWorld = { ...world, objects, unusual: true };
    return Object.assign(made, { [fc.toStringMethod]: () => worldText(made) });
  });
}
