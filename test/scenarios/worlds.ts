// Random worlds for property tests: few names, few labels and few addresses, so that everything collides often.

import fc from "fast-check";
import type { WorldObject } from "../../src/model/object.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { anp, banp, cnp } from "../support/policies.ts";

const label = fc.constantFrom("x", "y", "z");
export const labels = fc.dictionary(fc.constantFrom("app", "tier"), label, { maxKeys: 2 });
const spaces = ["a", "b", "c"];
const podNames = ["one", "two", "three"];
const nodeNames = ["node-1", "node-2"];
const address = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map((last) => `10.0.0.${last}`),
  fc.integer({ min: 1, max: 4 }).map((last) => `fd00::${last}`),
);
const containerPort = fc.record({
  name: fc.constantFrom("http", "dns"),
  protocol: fc.constantFrom("tcp" as const, "udp" as const, "sctp" as const),
  port: fc.constantFrom(53, 80, 8080),
});

const podObject = (space: string, name: string) =>
  fc
    .record({
      labels,
      node: fc.option(fc.constantFrom(...nodeNames), { freq: 8 }),
      hostNetwork: fc.boolean().map((on) => on && name === "three"),
      completed: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
      ips: fc.uniqueArray(address, { maxLength: 2 }),
      ports: fc.uniqueArray(containerPort, { maxLength: 2, selector: (port) => JSON.stringify(port) }),
    })
    .map((options) => pod(space, name, options));

const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom("app", "tier"),
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.uniqueArray(label, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ key: fc.constantFrom("app", "tier"), operator: fc.constantFrom("Exists", "DoesNotExist") }),
);
export const selector = fc.oneof(
  fc.constantFrom({}, {}, { matchLabels: {} }, { matchExpressions: [] }),
  labels.map((matchLabels) => ({ matchLabels })),
  fc.array(requirement, { minLength: 1, maxLength: 2 }).map((matchExpressions) => ({ matchExpressions })),
);
export const podPeer = fc.oneof(
  selector.map((namespaces) => ({ namespaces })),
  fc.record({ namespaceSelector: selector, podSelector: selector }).map((pods) => ({ pods })),
  fc.constant({ galaxies: {} }),
);
const egressPeer = fc.oneof(
  podPeer,
  selector.map((nodes) => ({ nodes })),
  fc
    .uniqueArray(fc.constantFrom("10.0.0.0/8", "10.0.0.5/32", "fd00::/16", "0.0.0.0/0"), { minLength: 1 })
    .map((networks) => ({ networks })),
);
const numberedPort = fc.oneof(
  fc.record({
    portNumber: fc.record({ protocol: fc.constantFrom("TCP", "UDP", "SCTP"), port: fc.constantFrom(53, 80) }),
  }),
  fc.record({ portRange: fc.constant({ protocol: "TCP", start: 8000, end: 9000 }) }),
);
const namedPort = fc.constantFrom("http", "dns", "none").map((name) => ({ namedPort: name }));
const portsOf = (named: boolean) =>
  fc.option(
    fc.array(named ? fc.oneof(numberedPort, namedPort) : numberedPort, { minLength: 1, maxLength: 3 }),
  );

type Action = "Allow" | "Deny" | "Pass";
const withPorts = (rule: object, ports: readonly unknown[] | null): object =>
  ports === null ? rule : { ...rule, ports };
const ingressRule = (actions: readonly Action[]) =>
  fc
    .tuple(fc.constantFrom(...actions), fc.array(podPeer, { minLength: 1, maxLength: 2 }), portsOf(true))
    .map(([action, from, ports]) => withPorts({ action, from }, ports));
const egressRule = (actions: readonly Action[]) =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom(...actions), fc.array(podPeer, { minLength: 1, maxLength: 2 }), portsOf(true))
      .map(([action, to, ports]) => withPorts({ action, to }, ports)),
    fc
      .tuple(
        fc.constantFrom(...actions),
        fc.array(egressPeer, { minLength: 1, maxLength: 2 }),
        portsOf(false),
      )
      .map(([action, to, ports]) => withPorts({ action, to }, ports)),
  );
const rules = (actions: readonly Action[]) =>
  fc.record({
    ingress: fc.array(ingressRule(actions), { maxLength: 3 }),
    egress: fc.array(egressRule(actions), { maxLength: 3 }),
    subject: podPeer.filter((peer) => !("galaxies" in peer)),
  });
const admin = (name: string) =>
  fc
    .tuple(rules(["Allow", "Deny", "Pass"]), fc.constantFrom(0, 10, 99))
    .map(([spec, priority]) => anp(name, { ...spec, priority }));
/** Of few numbers, so that names decide, and long enough that they make room for one another. */
const clusterWide = (name: string) =>
  fc
    .record({
      tier: fc.constantFrom("Admin" as const, "Baseline" as const),
      priority: fc.constantFrom(0, 5, 1000),
      subject: podPeer.filter((peer) => !("galaxies" in peer)),
      action: fc.constantFrom("Accept", "Deny", "Pass"),
      peer: podPeer,
      rules: fc.constantFrom(1, 3, 25),
    })
    .map(({ action, peer, rules: count, ...spec }) =>
      cnp(name, { ...spec, ingress: Array.from({ length: count }, () => ({ action, from: [peer] })) }),
    );
const baseline = rules(["Allow", "Deny"]).map((spec) => banp(spec));

export const sometimes = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> =>
  fc.option(value, { freq: 3 }).map((made) => (made === null ? [] : [made]));

/** A whole cluster. */
export const world: fc.Arbitrary<readonly WorldObject[]> = fc
  .tuple(
    ...spaces.map((name) => sometimes(labels.map((table) => namespace(name, table)))),
    ...spaces.flatMap((space) => podNames.map((name) => sometimes(podObject(space, name)))),
    ...nodeNames.map((name) =>
      sometimes(
        fc
          .tuple(labels, fc.uniqueArray(address, { maxLength: 2 }))
          .map(([table, ips]) => node(name, table, ips)),
      ),
    ),
    sometimes(admin("p")),
    sometimes(admin("q")),
    sometimes(baseline),
    ...["c", "d", "e"].map((name) => sometimes(clusterWide(name))),
  )
  .map((parts) => (parts as readonly (readonly WorldObject[])[]).flat());

/** Every pod that a world can hold. */
export const everyPod: readonly WorldObject[] = spaces.flatMap((space) =>
  podNames.map((name) => pod(space, name)),
);
