// Who is meant: pods on the pod network and network sets as Calico's selectors see them. Each has its own labels with Calico's own
// beside them, the labels of its namespace and, of a pod, those of its service account.

import { isWithin } from "./addresses.ts";
import type { EndpointSlice, Manifest, NetworkSet, Pod } from "./manifests.ts";
import { metadataOf } from "./manifests.ts";
import type { LabelTable } from "./selector.ts";

export interface NamedPort {
  readonly name: string;
  /** As in packets. */
  readonly protocol: number;
  readonly port: number;
}

export interface Endpoint {
  readonly isPod: boolean;
  /** null: it is in none. */
  readonly namespace: string | null;
  readonly labels: LabelTable;
  /** Of a pod: without Calico's labels, as Kubernetes' selectors see them. */
  readonly plainLabels: LabelTable;
  /** Empty where there is no namespace. */
  readonly namespaceLabels: LabelTable;
  /** Empty where there is no service account. */
  readonly accountLabels: LabelTable;
  /** Addresses or networks. */
  readonly nets: readonly string[];
  readonly ports: readonly NamedPort[];
}

export function has(endpoint: Endpoint, address: string): boolean {
  return endpoint.nets.some((net) => isWithin(address, net));
}

/** The numbers of protocols by the names that Calico's rules and container ports give them. */
export const protocolNumbers: Readonly<Record<string, number>> = {
  ...{ ICMP: 1, TCP: 6, UDP: 17, ICMPv6: 58, SCTP: 132, UDPLite: 136 },
};

const nameLabel = "projectcalico.org/name";
const namespaceLabel = "projectcalico.org/namespace";
const accountLabel = "projectcalico.org/serviceaccount";
const orchestratorLabel = "projectcalico.org/orchestrator";

/** A service account's name of this length and above is no label. */
const longestAccount = 63;

export class Endpoints {
  readonly all: readonly Endpoint[];
  readonly #namespaces: ReadonlyMap<string, LabelTable>;
  readonly #accounts: ReadonlyMap<string, LabelTable>;
  readonly #pods: ReadonlyMap<string, Endpoint>;
  readonly #slices: readonly EndpointSlice[];

  constructor(manifests: readonly Manifest[]) {
    this.#namespaces = labelsOf(manifests, "Namespace");
    this.#accounts = labelsOf(manifests, "ServiceAccount");
    const pods = manifests.filter((one) => one.kind === "Pod").filter(isPoliced);
    this.#pods = new Map(pods.map((pod) => [keyOf(pod), this.#ofPod(pod)]));
    this.#slices = manifests.filter((one) => one.kind === "EndpointSlice");
    const sets = manifests.filter(isSet);
    this.all = [...this.#pods.values(), ...sets.map((set) => this.#ofSet(set))];
  }

  /** Null: no policy speaks of the pod. */
  ofPod(namespace: string, name: string): Endpoint | null {
    return this.#pods.get(`${namespace}/${name}`) ?? null;
  }

  /** The slices that say where connections through the Service arrive. */
  ofService(namespace: string, name: string): readonly EndpointSlice[] {
    return this.#slices.filter(
      ({ metadata }) =>
        metadata.namespace === namespace && metadata.labels?.["kubernetes.io/service-name"] === name,
    );
  }

  #ofPod({ metadata, spec, status }: Pod): Endpoint {
    const { namespace = "", labels = {} } = metadata;
    const account = spec.serviceAccountName ?? "default";
    const own = new Map(Object.entries(labels));
    return {
      ...{ isPod: true, namespace, plainLabels: own },
      labels: new Map([
        ...own,
        [namespaceLabel, namespace],
        [orchestratorLabel, "k8s"],
        ...(account.length < longestAccount ? [[accountLabel, account] as const] : []),
      ]),
      namespaceLabels: this.#namespaces.get(namespace) ?? new Map(),
      accountLabels: this.#accounts.get(`${namespace}/${account}`) ?? new Map(),
      nets: (status.podIPs ?? []).map(({ ip }) => ip),
      ports: (spec.containers ?? []).flatMap(({ ports = [] }) =>
        ports.flatMap(({ name, protocol = "TCP", containerPort }) =>
          name === undefined ? [] : [{ name, protocol: protocolNumbers[protocol] ?? 0, port: containerPort }],
        ),
      ),
    };
  }

  #ofSet(set: NetworkSet): Endpoint {
    const { labels = {}, namespace: given } = metadataOf(set);
    const namespace = set.kind === "NetworkSet" ? (given ?? "") : null;
    const own = new Map(Object.entries(labels));
    return {
      ...{ isPod: false, namespace, plainLabels: own },
      labels: namespace === null ? own : new Map([...own, [namespaceLabel, namespace]]),
      namespaceLabels: this.#namespaces.get(namespace ?? "") ?? new Map(),
      accountLabels: new Map(),
      nets: set.spec.nets ?? [],
      ports: [],
    };
  }
}

function isSet(manifest: Manifest): manifest is NetworkSet {
  return manifest.kind === "NetworkSet" || manifest.kind === "GlobalNetworkSet";
}

/** On the pod network, on a node, and not at its end. */
function isPoliced({ spec, status }: Pod): boolean {
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  return spec.nodeName !== undefined && spec.hostNetwork !== true && !isOver;
}

/** With the label of their name, by "<name>" or "<namespace>/<name>". */
function labelsOf(manifests: readonly Manifest[], kind: "Namespace" | "ServiceAccount") {
  const tables = manifests
    .filter((one) => one.kind === kind)
    .map((one): [string, LabelTable] => {
      const { name, labels = {} } = one.metadata;
      return [keyOf(one), new Map([...Object.entries(labels), [nameLabel, name]])];
    });
  return new Map(tables);
}

function keyOf({ metadata: { namespace, name } }: Pick<Manifest, "metadata">): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
