// What `internet` is: the addresses that can be reached from anywhere, and are none of the cluster. Those of IANA's IPv4 and IPv6
// Special-Purpose Address Registries that are not "Globally Reachable" are none of them, nor is multicast.

import { aloneIn, partsWithin } from "../model/cidr.ts";
import type { PartOfNetwork } from "../model/cidr.ts";
import type { FactStore } from "../model/fact-store.ts";
import { addressesOfNode } from "../model/facts.ts";
import type { Cidr } from "../model/ip.ts";
import { familyOf, parseCidr } from "../model/ip.ts";
import { invariant } from "../lib/invariant.ts";
import { ownWayNetworks } from "../policy/own-node.ts";

function network(text: string): Cidr {
  const cidr = parseCidr(text);
  invariant(cidr !== null, `not a network: ${text}`);
  return cidr;
}

/** By family. */
const reachable: readonly PartOfNetwork[] = [
  {
    cidr: network("0.0.0.0/0"),
    except: [
      ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
      ...["192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
      ...["203.0.113.0/24", "224.0.0.0/3"],
    ].map(network),
  },
  { cidr: network("2000::/3"), except: ["2001::/23", "2001:db8::/32", "3fff::/20"].map(network) },
];

/**
 * Without the addresses of nodes, of pods on their nodes' networks, and the nodes' pod networks. Pods on the pod network hold
 * their addresses, wherever these are: what asks for addresses that no pod has leaves them out by itself.
 */
export function internetIn({ pods, nodes }: Pick<FactStore, "pods" | "nodes">): readonly PartOfNetwork[] {
  const hosts = Iterator.from(pods.values()).filter((pod) => pod.hostNetwork && !pod.completed);
  const own = new Set([
    ...[...nodes].flatMap((node) => [...addressesOfNode(node).map(aloneIn), ...(node.podNetworks ?? [])]),
    ...hosts.flatMap(({ ips }) => ips.map(aloneIn)),
  ]);
  const holes = reachable.flatMap(({ except }) => except);
  const within = partsWithin(
    [...own],
    reachable.map(({ cidr }) => cidr),
    holes,
  ).map(({ cidr }) => cidr);
  return reachable.map(({ cidr, except }) => ({
    cidr,
    except: [...except, ...within.filter((one) => familyOf(one) === familyOf(cidr))],
  }));
}

/**
 * Addresses that no pod has: unspecified, loopback, link-local and multicast ones. Kubernetes refuses the first three and multicast of
 * the link as addresses of endpoints (ValidateNonSpecialIP). Nor has a pod those by which OVN leads a pod's connection back to itself.
 */
export const neverPods: readonly Cidr[] = [
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"],
  ...["::/127", "fe80::/10", "ff00::/8"],
  ...ownWayNetworks,
].map(network);
