// Parts of a rule in words: its subject, its peers and its ports. For people; a user's text in it is checked or quoted by the
// caller that prints it. Says what the IR says, so that every dialect's rules are shown alike.

import { unreachable } from "../lib/invariant.ts";
import type { Peer, PortMatch, PortRange, Rule, SubjectGroup } from "../policy/ir.ts";
import type { Selector } from "../model/selector.ts";
import { everything } from "../model/selector.ts";
import { selectorText } from "./selectors.ts";

export function subjectText(group: SubjectGroup): string {
  return group.kind === "podsOfNode" ? `pods on node ${group.node}` : podsText(group.namespaces, group.pods);
}

/** What the rule matches at the other end. */
export function peerTexts({ peers, translated }: Rule): readonly string[] {
  return peers.map((peer) => (translated === true ? `${peerText(peer)}, through a Service` : peerText(peer)));
}

function peerText(peer: Peer): string {
  switch (peer.kind) {
    case "pods":
      return podsText(peer.namespaces, peer.pods);
    case "sameNamespaces": {
      const homes =
        peer.keys.length === 0 ? "the pod's own namespace" : `namespaces of equal ${peer.keys.join(", ")}`;
      return isEvery(peer.pods) ? homes : `pods ${selectorText(peer.pods)} in ${homes}`;
    }
    case "nodes":
      return isEvery(peer.nodes) ? "nodes" : `nodes ${selectorText(peer.nodes)}`;
    case "network":
      return peer.except.length === 0 ? peer.cidr : `${peer.cidr} without ${peer.except.join(", ")}`;
    case "everything":
      return "everything";
    default:
      return unreachable(peer);
  }
}

function podsText(namespaces: Selector, pods: Selector): string {
  const homes = isEvery(namespaces) ? "every namespace" : `namespaces ${selectorText(namespaces)}`;
  return isEvery(pods) ? homes : `pods ${selectorText(pods)} in ${homes}`;
}

function isEvery({ text }: Selector): boolean {
  return text === everything.text;
}

export function portText(port: PortMatch): string {
  switch (port.kind) {
    case "port":
      return `${port.protocol} ${port.port}${sourceText(port.source)}`;
    case "range":
      return `${port.protocol} ${port.start}-${port.end}${sourceText(port.source)}`;
    case "named":
      return `${port.protocol === undefined ? "" : `${port.protocol} `}port "${port.name}"${sourceText(port.source)}`;
    case "protocol":
      return `IP protocol ${port.number}`;
    case "icmp":
      return icmpText(port);
    default:
      return unreachable(port);
  }
}

function sourceText(source: PortRange | undefined): string {
  return source === undefined ? "" : ` from source ports ${source.start}-${source.end}`;
}

function icmpText({ family, type, code }: Extract<PortMatch, { kind: "icmp" }>): string {
  const name = family === null ? "icmp" : family === "v4" ? "icmp of IPv4" : "icmp of IPv6";
  return [name, type === null ? "" : `type ${type}`, code === null ? "" : `code ${code}`]
    .filter(Boolean)
    .join(" ");
}
