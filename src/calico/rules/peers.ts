// Both sides of a rule → the parts of it that the IR has: subject and own addresses of one side, peers of the other. The addresses
// of a packet are of one family, so that it is enough to say on the peers' side which one the rule is about.

import type { Cidr, IpFamily } from "../../model/ip.ts";
import { everyAddress, ipFamilies } from "../../model/ip.ts";
import type { Addresses, Peer, PodGroup, Rule, Subject } from "../../policy/ir.ts";
import { everyPeer } from "../../policy/ir.ts";
import { arrivingAt } from "../traffic/arriving.ts";
import { intersection } from "../ends/groups.ts";
import type { Nets } from "../ends/nets.ts";
import { addressesOf, networksIn } from "../ends/nets.ts";
import type { Side } from "../ends/side.ts";

/** A part of a rule by the pods that it applies to. */
export type OwnPart = Pick<Rule, "share" | "subject" | "own">;

/** `family`: that of the rule; null: any. */
function peersOf({ selected, others, nets, names }: Side, family: IpFamily | null): readonly Peer[] {
  if (names.length > 0) return names;
  const within = addressesOf(nets, family);
  if (others !== null) {
    const { networks, except } = withoutNets(within ?? anyAddress, others.nets);
    return [{ kind: "others", pods: others.pods, networks, except }];
  }
  if (selected === null) return within === null ? everyPeer : networkPeers(within.networks, within);
  return [
    ...selected.pods.map((pods): Peer => (within === null ? pods : { kind: "narrowed", pods, ...within })),
    ...networkPeers(selected.nets, within),
  ];
}

/** A part of a rule by what is on its peers' side. */
export type PeerPart = Pick<Rule, "share" | "peers" | "ports">;

/** `ports`: what the rule says of its traffic. Of a Service, one part for each of its ports that this leaves. */
export function peerParts(peer: Side, family: IpFamily | null, ports: Rule["ports"]): readonly PeerPart[] {
  if (peer.services === null) return [{ share: null, peers: peersOf(peer, family), ports }];
  const within = addressesOf(peer.nets, family);
  return peer.services.flatMap(({ nets, port }) => {
    const peers = networkPeers(nets, within);
    const left = port === null ? ports : arrivingAt(port, ports);
    if (peers.length === 0 || left?.length === 0) return [];
    return [{ share: port === null ? null : `${port.protocol} ${port.port}`, peers, ports: left }];
  });
}

function networkPeers(networks: readonly Cidr[], within: Addresses | null): readonly Peer[] {
  return networksIn(networks, within).map((one) => ({ kind: "network", ...one }));
}

/** `subject`: the policy's pods. One part for its pods that are selected, and one for those with addresses of sets that are. */
export function ownParts(
  { selected, others, nets }: Side,
  family: IpFamily | null,
  subject: readonly PodGroup[],
): readonly OwnPart[] {
  const within = ownAddresses(nets, family);
  if (others !== null) {
    const own = others.nets.length === 0 ? within : withoutNets(within ?? anyAddress, others.nets);
    return [part(intersection(subject, others.pods) ?? subject, own)];
  }
  if (selected === null) return [part(null, within)];
  const byPods = part(intersection(subject, selected.pods) ?? subject, within);
  const bySets = networksIn(selected.nets, within);
  if (bySets.length === 0) return [byPods];
  const own = { networks: bySets.map(({ cidr }) => cidr), except: bySets.flatMap(({ except }) => except) };
  return [byPods, { share: "networkSets", subject: null, own }];
}

function part(subject: Subject | null, own: Addresses | null): OwnPart {
  return { share: null, subject, ...(own === null ? {} : { own }) };
}

/** null: any, or any of the rule's family, which its peers say. */
function ownAddresses(nets: Nets, family: IpFamily | null): Addresses | null {
  return nets.nets.length + nets.notNets.length === 0 ? null : addressesOf(nets, family);
}

const anyAddress: Addresses = { networks: ipFamilies.map(everyAddress), except: [] };

function withoutNets({ networks, except: before }: Addresses, except: readonly Cidr[]): Addresses {
  return { networks, except: [...before, ...except] };
}
