// A large cluster as manifests, always the same: 10,000 pods of Deployments in 60 namespaces, one family of addresses, and 500
// policies: in each namespace a default deny, DNS, and six NetworkPolicies with named ports, ranges, networks and peers in other
// namespaces; and 20 AdminNetworkPolicies that allow, pass and deny. Another shape of it has as many pods and policies.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = Readonly<Record<string, unknown>>;

export interface LargeShape {
  readonly spaces: number;
  /** NetworkPolicies of each namespace, beside its default deny and DNS. */
  readonly allows: number;
  readonly admins: number;
}

const usual: LargeShape = { spaces: 60, allows: 6, admins: 20 };
const nodes = 100;
const pods = 10_000;
const apps = 9;
const hash = "5f8c6d9f7b";
const tiers = ["web", "api", "db"];

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Two files: what there is, and what applies to it. */
export function writeLargeCluster(folder: string, { spaces, allows, admins }: LargeShape = usual): void {
  mkdirSync(folder, { recursive: true });
  const write = (file: string, items: readonly Manifest[]): void => {
    writeFileSync(join(folder, file), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  };
  write("cluster.json", [
    ...numbers(spaces).map((at) => ({
      ...{ apiVersion: "v1", kind: "Namespace" },
      metadata: {
        name: `ns${at}`,
        labels: { "kubernetes.io/metadata.name": `ns${at}`, team: `t${at % 10}` },
      },
    })),
    ...numbers(nodes).map((at) => ({
      ...{ apiVersion: "v1", kind: "Node", metadata: { name: `node${at}` } },
      status: { addresses: [{ type: "InternalIP", address: `172.18.0.${at + 1}` }] },
    })),
    ...numbers(pods).map((at) => podOf(at, spaces)),
  ]);
  write("policies.json", [
    ...numbers(spaces).flatMap((at) => policiesIn(at, allows)),
    ...numbers(admins).map(adminOf),
  ]);
}

/** Writes the cluster of `before` without the policies of this name of ten namespaces. */
export function writeWithout(policy: string, before: string, after: string): void {
  cpSync(before, after, { recursive: true });
  const file = join(after, "policies.json");
  const list = JSON.parse(readFileSync(file, "utf8")) as { readonly items: readonly Named[] };
  const isTaken = ({ metadata: { name, namespace = "" } }: Named) =>
    name === policy && /^ns\d$/.test(namespace);
  writeFileSync(file, JSON.stringify({ ...list, items: list.items.filter((one) => !isTaken(one)) }));
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function podOf(at: number, spaces: number): Manifest {
  const app = Math.floor(at / spaces) % apps;
  const name = `app${app}`;
  const order = Math.floor(at / nodes);
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: `${name}-${at}`, namespace: `ns${at % spaces}` },
      labels: { app: name, tier: tiers[app % tiers.length], "pod-template-hash": hash },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${name}-${hash}`, controller: true },
      ],
    },
    spec: {
      nodeName: `node${at % nodes}`,
      containers: [{ name: "c", ports: [{ name: "http", containerPort: 8080 + (app % 2) }] }],
    },
    status: { podIPs: [{ ip: `10.${at % nodes}.${Math.floor(order / 250)}.${(order % 250) + 2}` }] },
  };
}

function policiesIn(space: number, allows: number): readonly Manifest[] {
  const policy = (name: string, spec: Manifest): Manifest => ({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", spec },
    metadata: { name, namespace: `ns${space}` },
  });
  const dns = [53].flatMap((port) => ["UDP", "TCP"].map((protocol) => ({ port, protocol })));
  const named = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ns0" } } };
  return [
    policy("deny", { podSelector: {}, policyTypes: ["Ingress", "Egress"] }),
    policy("dns", {
      ...{ podSelector: {}, policyTypes: ["Egress"] },
      egress: [{ to: [{ ...named, podSelector: { matchLabels: { app: "app0" } } }], ports: dns }],
    }),
    ...numbers(allows).map((at) => {
      const team = { namespaceSelector: { matchLabels: { team: `t${(space + at) % 10}` } } };
      const network = { cidr: `198.${18 + at}.${space}.0/24`, except: [`198.${18 + at}.${space}.64/26`] };
      return policy(`allow${at}`, {
        ...{ podSelector: { matchLabels: { app: `app${at}` } }, policyTypes: ["Ingress", "Egress"] },
        ingress: [
          {
            from: [{ podSelector: { matchLabels: { tier: "web" } } }, team],
            ports: [{ port: "http" }, { port: 5000 + at * 10, endPort: 5005 + at * 10 }],
          },
        ],
        egress: [
          { to: [{ ipBlock: network }], ports: [{ port: 443 }] },
          { to: [team], ports: [{ port: 8080, endPort: 8090 }] },
        ],
      });
    }),
  ];
}

function adminOf(at: number): Manifest {
  const team = (more: number) => [{ namespaces: { matchLabels: { team: `t${(at + more) % 10}` } } }];
  return {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
    metadata: { name: `anp${at}` },
    spec: {
      priority: at,
      subject: team(0)[0],
      ingress: [
        { action: "Allow", from: team(1), ports: [{ portNumber: { protocol: "TCP", port: 9000 + at } }] },
        { action: "Pass", from: team(2) },
        { action: "Deny", from: team(3) },
      ],
      egress: [{ action: "Deny", to: [{ networks: [`203.0.113.${(at % 32) * 8}/29`] }] }],
    },
  };
}
