// The two ends of one connection: each a pod, a workload that stands for pods, or an address; an address that a pod on the pod
// network holds is that pod. Both are asked together, because one may force the family of the other. Refuses, in one sentence that
// names what was asked, what is no single end, and an address that several pods hold: only their names say which.

import type { PodFact } from "../model/facts.ts";
import { addressesOfNode, isOnPodNetwork, podKey } from "../model/facts.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyNames, familyOf, ipFamilies, parseIp } from "../model/ip.ts";
import { quote } from "../model/quote.ts";
import { invariant } from "../lib/invariant.ts";
import type { Workload } from "../model/workload.ts";
import type { End } from "../policy/evaluate.ts";
import { NoSuchEnd } from "./end-query.ts";
import type { EndSet } from "./end-sets.ts";
import type { PodIndex } from "./pod-index.ts";

/** `host`: a pod on its node's network. `workload`: pods that are not there yet. `service`: one that was asked for by name. */
export type EndKind = "pod" | "host" | "node" | "address" | "workload" | "service";

export interface NamedEnd {
  /** As it was asked. */
  readonly text: string;
  /** Of a workload the unspecified one: what its pods will have is unknown. */
  readonly ip: IpAddress;
  readonly kind: EndKind;
  /** The pod that was named, or that holds the address; null: none. */
  readonly pod: PodFact | null;
  /** The workload of the template that `end` has; null: it is none. */
  readonly workload: Workload | null;
  readonly node: string | null;
  /** As the judge takes it. */
  readonly end: End;
}

/** One end, with every address that it may mean. */
export interface Candidate {
  readonly text: string;
  readonly pod: PodFact | null;
  readonly workload: Workload | null;
  readonly ips: readonly IpAddress[];
}

const shownPods = 3;

function address(text: string): IpAddress {
  const ip = parseIp(text);
  invariant(ip !== null, `not an address: ${text}`);
  return ip;
}

/** Stands for the address of a template. */
export const unplaced: Readonly<Record<IpFamily, IpAddress>> = { v4: address("0.0.0.0"), v6: address("::") };

/** null: the set is of several ends, or of a network. */
export function onlyEnd(set: EndSet, text: string): Candidate | null {
  const { pods, workloads, networks, service } = set;
  if (service !== null) return null;
  const ips = networks.flatMap(({ cidr, except }) => (except.length === 0 ? (aloneAt(cidr) ?? []) : []));
  if (ips.length < networks.length || (set.areApart === true && ips.length > 1)) return null;
  if (ips.length > 0) return { text, pod: null, workload: null, ips };
  const [first, ...others] = [...pods, ...workloads];
  if (first === undefined || others.length > 0) return null;
  if ("pod" in first) return { text, pod: first.pod, workload: null, ips: first.ips };
  return { text, pod: null, workload: first, ips: ipFamilies.map((family) => unplaced[family]) };
}

/** null: the network has several addresses. */
function aloneAt(cidr: string): IpAddress | null {
  return /:.*\/128$|\..*\/32$/.test(cidr) ? parseIp(cidr.slice(0, cidr.indexOf("/"))) : null;
}

/** The facts must not change while it is used. */
export class EndsOf {
  readonly #pods: PodIndex;
  /** By address, the name of the node. */
  readonly #nodes = new Map<IpAddress, string>();
  readonly #families: readonly IpFamily[];

  /** `families`: those that are served, of which ends of both have the first; both in their order unless given. */
  constructor(pods: PodIndex, nodes: FactStore["nodes"], families: readonly IpFamily[] = ipFamilies) {
    this.#pods = pods;
    this.#families = [...new Set([...families, ...ipFamilies])];
    for (const node of nodes) for (const ip of addressesOfNode(node)) this.#nodes.set(ip, node.name);
  }

  /** Throws NoSuchEnd. */
  pair(from: Candidate, to: Candidate): { readonly from: NamedEnd; readonly to: NamedEnd } {
    const family = this.#families.find((each) => hasFamily(from, each) && hasFamily(to, each));
    if (family === undefined)
      throw new NoSuchEnd(
        `${shown(from)} and ${shown(to)} have no family in common: ${familiesIn(from)}, ${familiesIn(to)}`,
      );
    return { from: this.#end(from, family), to: this.#end(to, family) };
  }

  /** The pods on the pod network that have the address: one or none, unless an address was given twice. */
  holders(ip: IpAddress): readonly PodFact[] {
    return this.#pods.holders(ip);
  }

  /** Every address that a pod on the pod network, or a node, has. */
  taken(): readonly IpAddress[] {
    return [...this.#pods.addresses(), ...this.#nodes.keys()];
  }

  /** Whether it is an address of a node that is known. */
  isNode(ip: IpAddress): boolean {
    return this.#nodes.has(ip);
  }

  /** The end at an address. Throws NoSuchEnd where several pods have it. */
  at(ip: IpAddress, text: string = ip): NamedEnd {
    const [pod = null, ...others] = this.holders(ip);
    if (pod !== null && others.length > 0) {
      const names = [pod, ...others].map(({ namespace, name }) => quote(podKey(namespace, name)));
      throw new NoSuchEnd(
        `${ip} is the address of ${names.length} running pods, ${names.slice(0, shownPods).join(", ")}: ask about one by its name`,
      );
    }
    const workload = null;
    if (pod !== null) return { text, ip, kind: "pod", pod, workload, node: pod.node, end: { ip, pod } };
    const node = this.#nodes.get(ip) ?? null;
    const kind = node === null ? "address" : "node";
    return { text, ip, kind, pod: null, workload, node, end: { ip, pod: null } };
  }

  #end({ text, pod, workload, ips }: Candidate, family: IpFamily): NamedEnd {
    const ip = ips.find((each) => familyOf(each) === family);
    if (ip === undefined) throw new NoSuchEnd(`${quote(text)} has no ${familyNames[family]} address`);
    if (workload !== null) return templateEnd(text, workload, ip);
    if (pod === null) return this.at(ip, text);
    const isReached = isOnPodNetwork(pod);
    return {
      ...{ text, ip, kind: isReached ? "pod" : "host", pod, workload, node: pod.node },
      end: { ip, pod: isReached ? pod : null },
    };
  }
}

function templateEnd(text: string, workload: Workload, ip: IpAddress): NamedEnd {
  const { template } = workload;
  return {
    ...{ text, ip, kind: "workload", pod: null, workload, node: null },
    end: { ip, pod: isOnPodNetwork(template) ? template : null },
  };
}

function hasFamily({ ips }: Candidate, family: IpFamily): boolean {
  return ips.some((ip) => familyOf(ip) === family);
}

function familiesIn({ ips }: Candidate): string {
  return [...new Set(ips.map((ip) => familyNames[familyOf(ip)]))].join(" and ");
}

function shown({ text }: Candidate): string {
  return quote(text);
}
