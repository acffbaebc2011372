// Services of a cluster with kubelets, in place of kube-proxy: what their EndpointSlices say becomes OVN's load balancers, on the switch of
// every node. It looks at all of them again and again, so nothing that it has missed stays so. ClusterIP alone, and for pods on the
// pod network.

import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../test/kube/api.ts";
import type { Balancer } from "../conformance/balancers.ts";

export interface ServiceObject {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly clusterIPs?: readonly string[];
    readonly ports?: readonly { readonly name?: string; readonly port: number; readonly protocol: string }[];
  };
}

export interface EndpointSliceObject {
  readonly metadata: { readonly namespace: string; readonly labels?: Readonly<Record<string, string>> };
  readonly addressType: string;
  readonly ports?:
    readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[] | null;
  readonly endpoints?:
    | readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[]
    | null;
}

interface ListOf<T> {
  readonly items: readonly T[];
}

const pauseMs = 250;

export class ServiceBalancers {
  #isStopped = false;
  readonly #ended: Promise<void>;

  /** `balance` makes what it is given the only load balancers. */
  constructor(api: ApiClient, balance: (wanted: readonly Balancer[]) => Promise<void>) {
    this.#ended = this.#work(async () => {
      const [services, slices] = await Promise.all([
        api.json("GET", "/api/v1/services"),
        api.json("GET", "/apis/discovery.k8s.io/v1/endpointslices"),
      ]);
      await balance(
        balancersOf((services as ListOf<ServiceObject>).items, (slices as ListOf<EndpointSliceObject>).items),
      );
    });
  }

  async #work(look: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await look().catch((error: unknown) => {
        if (!this.#isStopped) process.stderr.write(`services: ${String(error)}\n`);
      });
      await sleep(pauseMs);
    }
  }

  close(): Promise<void> {
    this.#isStopped = true;
    return this.#ended;
  }
}

/** One for each Service and protocol, sorted by name. A virtual address without a ready endpoint has none, and OVN drops its packets. */
export function balancersOf(
  services: readonly ServiceObject[],
  slices: readonly EndpointSliceObject[],
): readonly Balancer[] {
  const all = new Map<string, { name: string; protocol: string; vips: Record<string, readonly string[]> }>();
  for (const { metadata, spec } of services) {
    const { namespace, name } = metadata;
    const own = slices.filter(
      (slice) =>
        slice.metadata.namespace === namespace &&
        slice.metadata.labels?.["kubernetes.io/service-name"] === name,
    );
    for (const ip of (spec.clusterIPs ?? []).filter((one) => one !== "None"))
      for (const { name: portName = "", port, protocol } of spec.ports ?? []) {
        const id = `service_${namespace}_${name}_${protocol.toLowerCase()}`;
        const balancer = all.get(id) ?? { name: id, protocol: protocol.toLowerCase(), vips: {} };
        balancer.vips[at(ip, port)] = endpointsOf(own, ip, portName, protocol);
        all.set(id, balancer);
      }
  }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Those of a port that are ready, of the virtual address' family, sorted. */
function endpointsOf(
  slices: readonly EndpointSliceObject[],
  ip: string,
  portName: string,
  protocol: string,
): readonly string[] {
  const family = ip.includes(":") ? "IPv6" : "IPv4";
  const found = slices
    .filter(({ addressType }) => addressType === family)
    .flatMap(({ ports, endpoints }) =>
      (ports ?? [])
        .filter(({ name = "", protocol: of = "TCP" }) => name === portName && of === protocol)
        .flatMap(({ port }) =>
          (endpoints ?? [])
            .filter(({ conditions }) => conditions?.ready !== false)
            .flatMap(({ addresses }) => (port === undefined ? [] : addresses.map((one) => at(one, port)))),
        ),
    );
  return [...new Set(found)].sort();
}

function at(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
