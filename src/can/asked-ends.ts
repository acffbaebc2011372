// Texts of users → which ends of the world are meant: a pod, a workload, a set of them, a Service's pods, an address, a network, the
// internet. Refuses in one sentence what is not there, and an address of a Service: a load balancer replaces it before policies
// see a connection.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { AskedService, EndSet } from "../analysis/end-sets.ts";
import type { NamedEnd } from "../analysis/ends.ts";
import { onlyEnd } from "../analysis/ends.ts";
import { refOfWorkload } from "../analysis/ref.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { endCaveats, hostsCaveat, hostWorkloadsCaveat } from "../explain/caveats.ts";
import type { Caveat } from "../explain/answer.ts";
import { aloneIn, contains } from "../model/cidr.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { parseCidr } from "../model/ip.ts";
import { quote } from "../model/quote.ts";
import type { Workload } from "../model/workload.ts";
import type { PodEnd } from "../verdicts/ends/kinds.ts";
import type { AskedEnd } from "./report.ts";

export interface Selection {
  readonly end: Omit<AskedEnd, "members">;
  /** Several ends are meant: each other one may reach some of them. */
  readonly isSet: boolean;
  readonly set: EndSet;
  readonly isPod: (end: PodEnd) => boolean;
  readonly isWorkload: (workload: Workload) => boolean;
  /** Addresses that no pod has. */
  readonly networks: readonly Cidr[];
  /** Of them, those that are not meant. */
  readonly except: readonly Cidr[];
  /** null: no Service was asked for. */
  readonly service: AskedService | null;
  readonly caveats: readonly Caveat[];
}

/** Throws NoSuchEnd. */
export function selectionOf(text: string, asked: AskedWorld): Selection {
  const { set } = asked.endNamed(text);
  const ofPods = new Map(
    set.pods.filter(({ pod }) => isOnPodNetwork(pod)).map(({ pod, ips }) => [pod, ips] as const),
  );
  const workloads = new Set(set.workloads.filter(({ template }) => isOnPodNetwork(template)));
  const hosts = set.pods.filter(({ pod }) => !isOnPodNetwork(pod));
  const networks = [...set.networks.map(({ cidr }) => cidr), ...hosts.flatMap(({ ips }) => ips.map(aloneIn))];
  if (ofPods.size + workloads.size + networks.length === 0)
    throw new NoSuchEnd(`${quote(text)}: its pods are on the network of their nodes: ask about a node`);
  return {
    ...namedIn(text, set, asked),
    ...{ set, service: set.service, networks },
    isPod: ({ end }) => end.new.pod !== null && ofPods.get(end.new.pod)?.includes(end.new.ip) === true,
    isWorkload: (workload) => workloads.has(workload),
    except: set.networks.flatMap(({ except }) => except),
  };
}

type Named = Pick<Selection, "end" | "isSet" | "caveats">;

function namedIn(text: string, set: EndSet, asked: AskedWorld): Named {
  const end = { text, pod: null, node: null, ips: [] };
  const caveats = [...hostsCaveat(set.pods.map(({ pod }) => pod)), ...hostWorkloadsCaveat(set)];
  const { service } = set;
  if (service !== null) {
    const { namespace, name } = service.service;
    return { end: { ...end, kind: "service", service: `${namespace}/${name}` }, isSet: true, caveats };
  }
  const only = onlyEnd(set, text);
  if (text === "internet" || parseCidr(text) !== null)
    return { end: { ...end, kind: "network" }, isSet: only === null, caveats: [] };
  if (only === null) return { end: { ...end, kind: "pods" }, isSet: true, caveats };
  if (only.workload !== null)
    return {
      ...{ end: { ...end, kind: "workload", workload: refOfWorkload(only.workload) }, isSet: false },
      caveats,
    };
  return ofOne(asked.ends.pair(only, only).from, { text, set, ips: only.ips }, asked);
}

interface One {
  readonly text: string;
  readonly set: EndSet;
  readonly ips: readonly IpAddress[];
}

function ofOne(named: NamedEnd, { text, set, ips: all }: One, asked: AskedWorld): Named {
  const { pod, ip, kind, node } = named;
  if (kind === "address") refuseService(text, ip, asked);
  const ips = kind === "pod" || kind === "host" ? set.pods.flatMap((one) => one.ips) : all;
  const key = pod === null ? null : podKey(pod.namespace, pod.name);
  return { end: { text, kind, pod: key, node, ips }, isSet: false, caveats: endCaveats(asked, named, named) };
}

function refuseService(text: string, ip: IpAddress, { services, serviceNetworks }: AskedWorld): void {
  const service = services.find(({ ips }) => ips.includes(ip));
  if (service === undefined && !serviceNetworks.some((one) => contains(one, ip))) return;
  const name = service === undefined ? "a Service" : `Service ${service.namespace}/${service.name}`;
  throw new NoSuchEnd(
    `${quote(text)} is an address of ${name}: policies see the pod that it leads to; ask about one`,
  );
}
