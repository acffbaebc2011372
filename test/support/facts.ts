// Facts and selectors in few words, for tests of groups. Everything not named has the plainest value.

import type { IpAddress, IpFamily } from "../../src/model/ip.ts";
import type {
  HostNameFact,
  NamedPort,
  NamespaceFact,
  NodeFact,
  Owner,
  PodFact,
} from "../../src/model/facts.ts";
import type { PodGroup } from "../../src/policy/ir.ts";
import { everything, requirements, type Selector } from "../../src/model/selector.ts";
import { parseIp } from "../../src/model/ip.ts";
import type { Workload } from "../../src/model/workload.ts";
import { anyNode } from "../../src/model/workload.ts";

type LabelTable = Readonly<Record<string, string>>;

export function ip(text: string): IpAddress {
  const address = parseIp(text);
  if (address === null) throw new Error(`not an address: ${text}`);
  return address;
}

interface PodOptions {
  readonly labels?: LabelTable;
  readonly node?: string | null;
  readonly serviceAccount?: string;
  readonly hostNetwork?: boolean;
  readonly completed?: boolean;
  readonly ips?: readonly string[];
  readonly ports?: readonly NamedPort[];
}

export function pod(namespace: string, name: string, options: PodOptions = {}): PodFact {
  const {
    labels = {},
    node = "node-1",
    serviceAccount = "default",
    hostNetwork = false,
    completed = false,
    ips = [],
    ports = [],
  } = options;
  return {
    kind: "Pod",
    namespace,
    name,
    labels: new Map(Object.entries(labels)),
    node,
    serviceAccount,
    hostNetwork,
    completed,
    ips: ips.map(ip),
    ports,
  };
}

/** A Deployment, unless the options say another kind. */
export function workload(
  home: string,
  name: string,
  options: PodOptions & { readonly kind?: string; readonly owner?: Owner; readonly isSpent?: boolean } = {},
): Workload {
  const { kind = "Deployment", owner = null, isSpent = false, ...more } = options;
  const template = pod(home, `${kind}:${name}`, { ...more, node: anyNode, ips: [] });
  return {
    ...{ group: kind === "Job" || kind === "CronJob" ? "batch" : "apps", kind, namespace: home, name },
    ...{ owner, isSpent, template: { ...template, isTemplate: true } },
  };
}

/** A Deployment that the pod could be of. */
export function deploymentOf(fact: PodFact): Workload {
  const { namespace: home, name, labels, serviceAccount, hostNetwork, ports } = fact;
  return workload(home, name, { labels: Object.fromEntries(labels), serviceAccount, hostNetwork, ports });
}

export function namespace(name: string, labels: LabelTable = {}): NamespaceFact {
  return { kind: "Namespace", name, labels: new Map(Object.entries(labels)) };
}

/** What DNS answered for the name. */
export function hostName(name: string, ...ips: readonly string[]): HostNameFact {
  return { kind: "HostName", name, ips: ips.map(ip) };
}

export function node(
  name: string,
  labels: LabelTable = {},
  ips: readonly string[] = [],
  podFamilies: readonly IpFamily[] = [],
): NodeFact {
  return { kind: "Node", name, labels: new Map(Object.entries(labels)), ips: ips.map(ip), podFamilies };
}

/** Selects objects that have all of the labels. */
export function withLabels(labels: LabelTable): Selector {
  return requirements(
    Object.entries(labels).map(([key, value]) => ({ operator: "In", key, values: [value] })),
  );
}

export function podGroup(namespaces: Selector, pods: Selector = everything): PodGroup {
  return { kind: "pods", namespaces, pods };
}

export function namedPort(name: string, port: number): NamedPort {
  return { name, protocol: "tcp", port };
}
