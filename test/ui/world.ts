// Random clusters as manifests, for the page: few names and labels, so that policies meet; and names that try to be HTML.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { writeJson } from "../support/manifests.ts";

/** The name of a rule that would run, if anybody read it as HTML. */
export const hostile = '<img src=x onerror="document.title=1">\u202e</td><script>alert(1)</script>';

const spaces = ["red", "blue", "green"];
const apps = ["web", "db"];
const selector = fc.oneof(
  fc.constant({}),
  fc.constantFrom(...spaces).map((name) => ({ matchLabels: { "kubernetes.io/metadata.name": name } })),
  fc.constant({ matchLabels: { team: "nobody" } }),
);
const peers = fc.array(
  fc.oneof(
    selector.map((namespaces) => ({ namespaces })),
    fc.tuple(selector, fc.constantFrom(...apps)).map(([namespaceSelector, app]) => ({
      pods: { namespaceSelector, podSelector: { matchLabels: { app } } },
    })),
  ),
  { minLength: 1, maxLength: 2 },
);
const ports = fc.option(
  fc.constantFrom(80, 443, 5432).map((port) => [{ portNumber: { protocol: "TCP", port } }]),
);
const rule = (side: "from" | "to") =>
  fc
    .tuple(fc.constantFrom("Allow", "Deny", "Pass"), peers, ports, fc.constantFrom("r", hostile))
    .map(([action, all, some, name]) => ({
      ...{ name, action, [side]: all },
      ...(some === null ? {} : { ports: some }),
    }));
const drawn = fc.record({
  policies: fc.array(
    fc.record({
      priority: fc.integer({ min: 0, max: 99 }),
      namespaces: selector,
      ingress: fc.array(rule("from"), { minLength: 1, maxLength: 4 }),
      egress: fc.array(rule("to"), { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 3, maxLength: 5 },
  ),
  isolated: fc.constantFrom(...spaces),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer World> ? World : never;

/** Worlds of a seed, always the same. */
export function drawWorlds(seed: number, count: number): readonly Drawn[] {
  return fc.sample(drawn, { seed, numRuns: count });
}

export const podNames = spaces.flatMap((space) => apps.map((app) => `${space}/${app}`));

function cluster(): readonly object[] {
  return [
    ...spaces.map((name) => ({
      ...{ apiVersion: "v1", kind: "Namespace" },
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    })),
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
      spec: { podCIDRs: ["10.0.0.0/24"] },
      status: {},
    },
    ...podNames.map((key, at) => {
      const [namespace, name] = key.split("/");
      return {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace, name, labels: { app: name } } },
        spec: { nodeName: "n1", containers: [{ name: "c", ports: [{ name: "http", containerPort: 80 }] }] },
        status: { phase: "Running", podIPs: [{ ip: `10.0.0.${at + 2}` }] },
      };
    }),
  ];
}

/** Writes the world's manifests into the folder, one file a policy. */
export function writeWorld(folder: string, { policies, isolated }: Drawn): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, objects: readonly object[]) => {
    writeJson(join(folder, name), objects);
  };
  write("cluster.yaml", cluster());
  for (const [at, { priority, namespaces, ingress, egress }] of policies.entries())
    write(`anp-${at}.yaml`, [
      {
        ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
        metadata: { name: `p${at}` },
        spec: { priority, subject: { namespaces }, ingress, egress },
      },
    ]);
  write("netpol.yaml", [
    {
      ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
      metadata: { name: "closed", namespace: isolated },
      spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ from: [{ podSelector: {} }] }] },
    },
  ]);
}
