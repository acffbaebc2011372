// The world in which upstream's sample policies matter: the pods of upstream's own conformance manifests, as a StatefulSet
// controller and kubelets would make them, the namespaces and pods that other samples speak of, and the connections worth
// asking about. Nothing of upstream is kept here: the manifests are read at run time.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseAllDocuments } from "yaml";
import type { PodFact } from "../src/model/facts.ts";
import { isOnPodNetwork } from "../src/model/facts.ts";
import { familyOf } from "../src/model/ip.ts";
import type { Connection, End } from "../src/policy/evaluate.ts";
import type { Packet } from "../tools/sandbox/trace.ts";
import type { KubernetesObject } from "../test/kube/api.ts";
import { namespace, node, pod } from "../test/kube/objects.ts";
import { ip } from "../test/support/facts.ts";
import type { Upstream, UpstreamApi } from "../test/support/upstream.ts";

/** A file of samples: its text, with upstream's placeholders filled in. */
export interface SampleFile {
  readonly name: string;
  readonly text: string;
}

const folders: Readonly<Record<UpstreamApi, readonly string[]>> = {
  v1alpha1: ["config/samples", "site-src/user-story-examples", "conformance/base"],
  v1alpha2: ["conformance/base", "pkg/crdtest/testdata"],
};
const world = "conformance/base/manifests.yaml";

/** Stands for upstream's `{{ index .HostNetworkPorts 0 }}`; the next numbers for the next. */
const firstHostPort = 36363;

export function samplesOf(upstream: Upstream, api: UpstreamApi): readonly SampleFile[] {
  const root = upstream[api];
  return folders[api]
    .flatMap((folder) => filesIn(join(root, folder)))
    .map((path) => ({ name: relative(root, path), text: filled(readFileSync(path, "utf8")) }))
    .filter(({ name }) => name !== world)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir)
    .map((name) => join(dir, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : path.endsWith(".yaml") ? [path] : []));
}

function filled(text: string): string {
  return text.replace(/\{\{ index \.HostNetworkPorts (\d+) \}\}/g, (_, at: string) =>
    String(firstHostPort + Number(at)),
  );
}

interface StatefulSet {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly hostNetwork?: boolean;
        readonly containers: readonly {
          readonly ports?: readonly {
            readonly name?: string;
            readonly containerPort: number;
            readonly protocol?: string;
          }[];
        }[];
      };
    };
  };
}

const nodes = ["n1", "n2"].map((name, at) =>
  node(name, {
    labels: { "kubernetes.io/os": "linux" },
    ips: [`172.18.0.${at + 2}`, `fd18::${at + 2}`],
    podCidrs: [`10.244.${at}.0/24`, `fd00:0:0:${at}::/64`],
  }),
);

/** Nodes, namespaces and pods, in an order in which they can be created. */
export function worldOf(upstream: Upstream, api: UpstreamApi): readonly KubernetesObject[] {
  const documents = parseAllDocuments(filled(readFileSync(join(upstream[api], world), "utf8")));
  const objects = documents.map((document) => document.toJS() as KubernetesObject | StatefulSet);
  const spaces = objects.filter((one): one is KubernetesObject => "kind" in one && one.kind === "Namespace");
  const sets = objects.filter((one): one is StatefulSet => "kind" in one && one.kind === "StatefulSet");
  let count = 0;
  const placed = (hostNetwork = false) => {
    const at = count % nodes.length;
    count += 1;
    const ips = hostNetwork
      ? [`172.18.0.${at + 2}`, `fd18::${at + 2}`]
      : [`10.244.${at}.${count + 10}`, `fd00:0:0:${at}::${count + 10}`];
    return { node: `n${at + 1}`, ips, hostNetwork };
  };
  const replicas = sets.flatMap(({ metadata, spec: { replicas, template } }) =>
    Array.from({ length: replicas }, (_, n) =>
      pod(metadata.namespace, `${metadata.name}-${n}`, {
        ...placed(template.spec.hostNetwork),
        labels: template.metadata.labels,
        ports: template.spec.containers
          .flatMap(({ ports = [] }) => ports)
          .flatMap(({ name, containerPort, protocol }) =>
            name === undefined ? [] : [{ name, port: containerPort, ...(protocol && { protocol }) }],
          ),
      }),
    ),
  );
  // Whom the other samples speak of.
  const others = [
    pod("sensitive-ns", "vault", {
      ...placed(),
      ports: [
        { name: "http", port: 8443 },
        { name: "monitoring", port: 9095 },
      ],
    }),
    pod("bar-ns-1", "pub", { ...placed(), labels: { app: "svc-pub" } }),
  ];
  return [...nodes, ...spaces, namespace("sensitive-ns"), namespace("bar-ns-1"), ...replicas, ...others];
}

/** What the samples name, and neighbours that none names. */
const traffic = [
  ...[80, 81, 8080, 8081, 8443, 9090, 9091, 9095, 36363].map((port) => ["tcp", port] as const),
  ...[53, 5353, 5354, 8080, 9090, 34345, 36365].map((port) => ["udp", port] as const),
  ...[9003, 9005, 9006].map((port) => ["sctp", port] as const),
  ["icmp", 0] as const,
];
const outside = ["172.18.0.3", "fd18::3", "203.0.113.7", "2001:db8::7"].map(ip);

/** The same connection for the judge and for ovn-trace. */
export interface Question {
  readonly connection: Connection;
  readonly packet: Packet;
}

/** Between all pods of the pod network, and from each to a node and to the world outside; the families take turns. */
export function questions(pods: readonly PodFact[]): readonly Question[] {
  const ends = pods.filter(isOnPodNetwork);
  const turns = ["v4", "v6"] as const;
  let turn = 0;
  const family = () => turns[turn++ % turns.length] ?? "v4";
  const inside = ends.flatMap((from) =>
    ends.filter((to) => to !== from).map((to) => ({ from, to, family: family() })),
  );
  const out = ends.flatMap((from) => outside.map((ip) => ({ from, ip, family: familyOf(ip) })));
  return traffic.flatMap(([protocol, port]) => [
    ...inside.map(({ from, to, family }) => ({
      connection: { from: endOf(from, family), to: endOf(to, family), protocol, port },
      packet: { from, to, protocol, port, family },
    })),
    ...out.map(({ from, ip, family }) => ({
      connection: { from: endOf(from, family), to: { ip, pod: null }, protocol, port },
      packet: { from, to: { ip }, protocol, port },
    })),
  ]);
}

function endOf(of: PodFact, family: "v4" | "v6"): End {
  const address = of.ips.find((one) => familyOf(one) === family);
  if (address === undefined) throw new Error(`${of.name} has no ${family} address`);
  return { ip: address, pod: of };
}
