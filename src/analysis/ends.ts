// Texts of users → ends of a connection: `namespace/pod`, `namespace/pod@ADDRESS`, `ADDRESS`. An address that a pod on the pod
// network holds is that pod. Both ends are asked together, because one may force the family of the other. Refuses, in one
// sentence that names what was asked, whatever is not there, and an address that several pods hold: only their names say which.

import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyNames, familyOf, ipFamilies, parseIp } from "../model/ip.ts";
import { nearest } from "../lib/nearest.ts";
import { quote } from "../model/quote.ts";
import type { End } from "../policy/evaluate.ts";

/** `host`: a pod on its node's network. */
export type EndKind = "pod" | "host" | "node" | "address";

export interface NamedEnd {
  /** As it was asked. */
  readonly text: string;
  readonly ip: IpAddress;
  readonly kind: EndKind;
  /** The pod that was named, or that holds the address; null: none. */
  readonly pod: PodFact | null;
  readonly node: string | null;
  /** As the judge takes it. */
  readonly end: End;
}

/** A sentence about what was asked. */
export class NoSuchEnd extends Error {
  override readonly name = "NoSuchEnd";
}

type Facts = Pick<FactStore, "pods" | "nodes">;

/** What a text names, with every address that it may mean. */
interface Candidate {
  readonly text: string;
  readonly pod: PodFact | null;
  readonly ips: readonly IpAddress[];
}

const suggested = 3;
/** A name so long may have two letters wrong. */
const mostTyped = 7;

/** The facts must not change while it is used. */
export class EndsOf {
  readonly #facts: Facts;
  readonly #holders = new Map<IpAddress, readonly PodFact[]>();
  /** By address, the name of the node. */
  readonly #nodes = new Map<IpAddress, string>();

  constructor(facts: Facts) {
    this.#facts = facts;
    for (const pod of facts.pods.values())
      if (isOnPodNetwork(pod)) for (const ip of pod.ips) this.#holders.set(ip, [...this.holders(ip), pod]);
    for (const { name, ips, managementIps = [] } of facts.nodes)
      for (const ip of [...ips, ...managementIps]) this.#nodes.set(ip, name);
  }

  /** Throws NoSuchEnd. */
  pair(from: string, to: string): { readonly from: NamedEnd; readonly to: NamedEnd } {
    const [one, other] = [this.#candidate(from), this.#candidate(to)];
    const family = ipFamilies.find((each) => hasFamily(one, each) && hasFamily(other, each));
    if (family === undefined)
      throw new NoSuchEnd(
        `${shown(one)} and ${shown(other)} have no family in common: ${familiesIn(one)}, ${familiesIn(other)}`,
      );
    return { from: this.#end(one, family), to: this.#end(other, family) };
  }

  /** The pods on the pod network that have the address: one or none, unless an address was given twice. */
  holders(ip: IpAddress): readonly PodFact[] {
    return this.#holders.get(ip) ?? [];
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
        `${ip} is the address of ${names.length} running pods, ${names.slice(0, suggested).join(", ")}: ask about one by its name`,
      );
    }
    if (pod !== null) return { text, ip, kind: "pod", pod, node: pod.node, end: { ip, pod } };
    const node = this.#nodes.get(ip) ?? null;
    return { text, ip, kind: node === null ? "address" : "node", pod: null, node, end: { ip, pod: null } };
  }

  #end({ text, pod, ips }: Candidate, family: IpFamily): NamedEnd {
    const ip = ips.find((each) => familyOf(each) === family);
    if (ip === undefined) throw new NoSuchEnd(`${quote(text)} has no ${familyNames[family]} address`);
    if (pod === null) return this.at(ip, text);
    const isReached = isOnPodNetwork(pod);
    return {
      ...{ text, ip, kind: isReached ? "pod" : "host", pod, node: pod.node },
      end: { ip, pod: isReached ? pod : null },
    };
  }

  #candidate(text: string): Candidate {
    if (!text.includes("/")) {
      const ip = parseIp(text);
      if (ip === null) throw new NoSuchEnd(`${quote(text)} is neither NAMESPACE/POD nor an IP address`);
      return { text, pod: null, ips: [ip] };
    }
    const at = text.indexOf("@");
    const name = at < 0 ? text : text.slice(0, at);
    const pod = this.#pod(name);
    if (at < 0) return { text, pod, ips: pod.ips };
    const ip = parseIp(text.slice(at + 1));
    if (ip === null) throw new NoSuchEnd(`${quote(text)}: what is behind @ is no IP address`);
    if (!pod.ips.includes(ip))
      throw new NoSuchEnd(`pod ${quote(name)} has no address ${ip}; it has ${pod.ips.join(", ")}`);
    return { text, pod, ips: [ip] };
  }

  #pod(name: string): PodFact {
    const slash = name.indexOf("/");
    const pod = this.#facts.pods.get(podKey(name.slice(0, slash), name.slice(slash + 1)));
    if (pod === undefined) throw new NoSuchEnd(`there is no pod ${quote(name)}${this.#suggestion(name)}`);
    if (pod.completed)
      throw new NoSuchEnd(`pod ${quote(name)} has completed: its address may be another pod's`);
    if (pod.ips.length === 0 || pod.node === null)
      throw new NoSuchEnd(`pod ${quote(name)} has no address yet`);
    return pod;
  }

  /** Pods are known by the names of what made them. */
  #suggestion(name: string): string {
    const own = name.slice(name.indexOf("/"));
    const keys = [...this.#facts.pods.keys()];
    const likely = keys.filter((key) => key.startsWith(`${name}-`) || key.endsWith(own));
    if (likely.length === 0) {
      const home = keys.filter((key) => key.startsWith(name.slice(0, name.length - own.length + 1)));
      const meant = nearest(name, home, own.length > mostTyped ? 2 : 1);
      return meant === null ? "" : `; did you mean ${quote(meant)}?`;
    }
    const more = likely.length > suggested ? ", …" : "";
    return `; there is ${likely.slice(0, suggested).map(quote).join(", ")}${more}`;
  }
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
