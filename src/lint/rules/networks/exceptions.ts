// NG025: networks whose exceptions leave no address, so that they match nothing.

import type { Cidr } from "../../../model/ip.ts";
import type { Addresses, Peer } from "../../../policy/ir.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule } from "../../draft.ts";
import type { NetworkPeer } from "../../implication/together.ts";
import { holdTogether } from "../../implication/together.ts";
import { fieldsOfNetworks } from "../../written.ts";
import { partsOf } from "../order.ts";

export function* emptyNetworks(context: Context): Generator<Draft> {
  for (const entry of context.entries()) {
    const emptied = partsOf(entry, context).flatMap(({ rule }) => rule.peers.flatMap(emptiedIn));
    for (const [cidr, field] of fieldsOfNetworks(context, entry, emptied)) yield draftOf(entry, cidr, field);
  }
}

function draftOf(entry: OrderedRule, cidr: Cidr, field: string): Draft {
  return {
    ...{ severity: "warning", target: ofRule(entry), field, about: cidr },
    message: `the exceptions of ${cidr} leave no address of it, so it matches nothing`,
    fix: "narrow the exceptions, or remove the network",
  };
}

function emptiedIn(peer: Peer): readonly Cidr[] {
  const addresses = addressesOf(peer);
  if (addresses === null || addresses.except.length === 0) return [];
  const gaps = addresses.except.map(alone);
  return addresses.networks.filter((cidr) => holdTogether(alone(cidr), gaps));
}

function addressesOf(peer: Peer): Addresses | null {
  if (peer.kind === "network") return { networks: [peer.cidr], except: peer.except };
  return peer.kind === "narrowed" || peer.kind === "others" ? peer : null;
}

function alone(cidr: Cidr): NetworkPeer {
  return { kind: "network", cidr, except: [] };
}
