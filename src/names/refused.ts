// Addresses that no name allows, whoever controls the zone: those of the machine itself, of links and groups, of nodes and Services,
// and of pods, but for names of the cluster's own domain. So an answer with one of them (rebinding) opens nothing. Strict about texts.

import type { FactChange } from "../model/fact-store.ts";
import { CountedSet } from "../lib/counted-set.ts";
import { contains } from "../model/cidr.ts";
import type { Fact } from "../model/object.ts";
import { addressesOfNode, isOnPodNetwork } from "../model/facts.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { parseCidr, parseIp } from "../model/ip.ts";

export const refusalReasons = [
  "not an address",
  "unspecified",
  "loopback",
  "link-local",
  "multicast",
  "broadcast",
  "embedded",
  "node",
  "service",
  "pod",
] as const;
export type Refusal = (typeof refusalReasons)[number];

/** Networks that are no destination of a connection to elsewhere. IPv4 in IPv6 (`embedded`) would hide an address from these rules. */
const reserved: readonly (readonly [Cidr, Refusal])[] = (
  [
    ["0.0.0.0/8", "unspecified"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.0.0/16", "link-local"],
    ["224.0.0.0/4", "multicast"],
    ["255.255.255.255/32", "broadcast"],
    ["::/128", "unspecified"],
    ["::1/128", "loopback"],
    ["::/96", "embedded"],
    ["64:ff9b::/96", "embedded"],
    ["64:ff9b:1::/48", "embedded"],
    ["2002::/16", "embedded"],
    ["fe80::/10", "link-local"],
    ["ff00::/8", "multicast"],
  ] as const
).flatMap(([text, reason]) => {
  const cidr = parseCidr(text);
  return cidr === null ? [] : [[cidr, reason] as const];
});

/** One of the two is null. */
export type Learned =
  | { readonly address: IpAddress; readonly refused: null }
  | { readonly address: null; readonly refused: Refusal };

/** Leading zeros, zones and IPv4 in the form of IPv6 are refused. */
export function learnedAddress(text: string): Learned {
  const address = /^[0-9a-f:.]{2,45}$/i.test(text) ? parseIp(text) : null;
  if (address === null) return { address: null, refused: "not an address" };
  if (text.includes(":") !== address.includes(":")) return { address: null, refused: "embedded" };
  if (!text.includes(":") && text !== address) return { address: null, refused: "not an address" };
  return { address, refused: null };
}

export interface RefusalOptions {
  /** Those that are known from the start. */
  readonly serviceNetworks: readonly Cidr[];
  /** Pods are allowed by names below it. */
  readonly clusterDomain: string;
}

/** Follows the facts: call `follow` with every change of them. */
export class Refusals {
  readonly #clusterDomain: string;
  readonly #nodes = new CountedSet<IpAddress>();
  readonly #pods = new CountedSet<IpAddress>();
  readonly #podNetworks = new CountedSet<Cidr>();
  #serviceNetworks: readonly Cidr[];
  #networkChanges = 0;

  constructor({ serviceNetworks, clusterDomain }: RefusalOptions) {
    this.#serviceNetworks = serviceNetworks;
    this.#clusterDomain = clusterDomain;
  }

  set serviceNetworks(networks: readonly Cidr[]) {
    this.#serviceNetworks = networks;
    this.#networkChanges++;
  }

  /** How often a network of pods or Services came: what was taken before may lie in it. */
  get networkChanges(): number {
    return this.#networkChanges;
  }

  follow({ before, after }: FactChange): void {
    if (after !== null) this.#count(after, addTo);
    if (before !== null) this.#count(before, takeFrom);
  }

  #count(fact: Fact, change: <T>(set: CountedSet<T>, values: readonly T[]) => void): void {
    if (fact.kind === "Node") {
      this.#networkChanges++;
      change(this.#nodes, addressesOfNode(fact));
      change(this.#podNetworks, fact.podNetworks ?? []);
    } else if (fact.kind === "Pod" && isOnPodNetwork(fact)) change(this.#pods, fact.ips);
  }

  /** null: a name may lead there. `name`: in lower case, without the final dot. */
  of(ip: IpAddress, name: string): Refusal | null {
    const found = reserved.find(([cidr]) => contains(cidr, ip));
    return found?.[1] ?? this.taken(ip, name) ?? this.#within(ip, name);
  }

  /** Only whether a node or a pod has the address itself. Cheap. */
  taken(ip: IpAddress, name: string): Refusal | null {
    if (this.#nodes.has(ip)) return "node";
    return this.#pods.has(ip) && !this.#isOfCluster(name) ? "pod" : null;
  }

  #within(ip: IpAddress, name: string): Refusal | null {
    if (this.#serviceNetworks.some((cidr) => contains(cidr, ip))) return "service";
    if (this.#isOfCluster(name)) return null;
    for (const cidr of this.#podNetworks.keys()) if (contains(cidr, ip)) return "pod";
    return null;
  }

  #isOfCluster(name: string): boolean {
    return name.endsWith(`.${this.#clusterDomain}`);
  }
}

function addTo<T>(set: CountedSet<T>, values: readonly T[]): void {
  for (const value of values) set.add(value);
}

function takeFrom<T>(set: CountedSet<T>, values: readonly T[]): void {
  for (const value of values) set.remove(value);
}
