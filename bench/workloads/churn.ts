// What comes and goes while a workload runs: pods, one large namespace, one policy. By the same kind of formula as the
// world itself, so that the n-th event is the same in every run.

import type { NamespaceFact, PodFact } from "../../src/model/facts.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { ip, namespace, pod } from "../../test/support/facts.ts";
import type { Workload } from "./catalogue.ts";
import { churnPolicies as manyChurned, tenantsOfChurn } from "./many.ts";
import { policyOf } from "./policies.ts";
import { appLabel, namespaceName, nodeName, ports, tenantLabel, type World } from "./world.ts";

/** Addresses of an own network, so that no pod of the world has them. */
const addressOf = (c: number, network: number) => `10.${network}.${Math.floor(c / 250)}.${(c % 250) + 2}`;

/** Churn pod c. */
export function churnPod(c: number, workload: Workload): PodFact {
  const { namespaces, nodes, tenants } = workload;
  const n = (37 * c + 11) % namespaces;
  return pod(namespaceName(n - (n % tenants) + (n % tenantsOfChurn(workload))), `churn-${c}`, {
    labels: { app: appLabel(c) },
    node: nodeName(c % nodes),
    ips: [addressOf(c, 250)],
    ports,
  });
}

export function relabelled(fact: PodFact, labels: Readonly<Record<string, string>>): PodFact {
  return { ...fact, labels: new Map([...fact.labels, ...Object.entries(labels)]) };
}

export function readdressed(fact: PodFact, c: number): PodFact {
  return { ...fact, ips: [ip(addressOf(c, 251))] };
}

/** A namespace beside those of the world, with as many pods as asked for. */
export function largeNamespace(
  size: number,
  { nodes, tenants }: Workload,
): { readonly namespace: NamespaceFact; readonly pods: readonly PodFact[] } {
  const name = `large-${size}`;
  return {
    namespace: namespace(name, { tenant: tenantLabel(0, tenants) }),
    pods: Array.from({ length: size }, (_, c) =>
      pod(name, `pod-${c}`, {
        labels: { app: appLabel(c) },
        node: nodeName(c % nodes),
        ips: [addressOf(c, 252)],
        ports,
      }),
    ),
  };
}

/**
 * Nodes whose pods are on a chassis: as many as asked for, from the first on which the policy that comes and goes selects a
 * pod, so that its flows are there.
 */
export function chassisNodes(count: number, world: World, { tenants, nodes }: Workload): ReadonlySet<string> {
  const tenant = new Set(
    world.namespaces
      .filter(({ labels }) => labels.get("tenant") === tenantLabel(7, tenants))
      .map((one) => one.name),
  );
  const first = world.pods.find((one) => tenant.has(one.namespace) && one.labels.get("app") === appLabel(7));
  const at = world.nodes.findIndex(({ name }) => name === first?.node);
  return new Set(Array.from({ length: count }, (_, step) => nodeName((at + step) % nodes)));
}

/**
 * Policies that come and go, each with the name of its events: one of 20 + 20 rules behind all others, or one of each kind as
 * the workload's own are.
 */
export function churnPolicies(workload: Workload): readonly (readonly [string, PolicyObject])[] {
  if (workload.kind === "many") return manyChurned(workload);
  return [["policy", policyOf(7, { ...workload, rules: 20, form: "mixed" }, "churn", 99)]];
}
