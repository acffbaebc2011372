// Parts of a rule in words: its subject, its peers and its ports. For people; a user's text in it is checked or quoted by the
// caller that prints it. Says what the IR says, so that every dialect's rules are shown alike.

import { unreachable } from "../lib/invariant.ts";
import type { IpFamily } from "../model/ip.ts";
import type {
  Addresses,
  EndPorts,
  Peer,
  PodGroup,
  PortList,
  PortMatch,
  PortRange,
  Rule,
  SubjectGroup,
} from "../policy/ir.ts";
import type { Selector } from "../model/selector.ts";
import { everything } from "../model/selector.ts";
import { selectorText } from "./selectors.ts";

export function subjectText(group: SubjectGroup): string {
  return group.kind === "podsOfNode" ? `pods on node ${group.node}` : podsText(group.namespaces, group.pods);
}

/** What the rule matches at the other end. */
export function peerTexts({ peers, own, translated }: Rule): readonly string[] {
  const how = [
    ...(own === undefined ? [] : [`by the pod's own addresses in ${addressesText(own)}`]),
    ...(translated === true ? ["through a Service"] : []),
  ];
  return peers.map((peer) => [peerText(peer), ...how].join(", "));
}

function addressesText({ networks, except }: Addresses): string {
  const all = networks.length === 0 ? "no network" : networks.join(", ");
  return except.length === 0 ? all : `${all} without ${except.join(", ")}`;
}

/** "" of none. */
function withoutPodsText(groups: readonly PodGroup[]): string {
  if (groups.some(({ namespaces, pods }) => isEvery(namespaces) && isEvery(pods))) return " that no pod has";
  const texts = groups.map(({ namespaces, pods }) => podsText(namespaces, pods));
  return texts.length === 0 ? "" : ` that no pod of ${texts.join(" or ")} has`;
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
    case "hostNames":
      return isEvery(peer.names) ? "every host name" : selectorText(peer.names);
    case "network":
      return peer.except.length === 0 ? peer.cidr : `${peer.cidr} without ${peer.except.join(", ")}`;
    case "narrowed":
      return `${podsText(peer.pods.namespaces, peer.pods.pods)}, by addresses in ${addressesText(peer)}`;
    case "others":
      return `addresses in ${addressesText(peer)}${withoutPodsText(peer.pods)}`;
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
    case "declared":
      return declaredText(port);
    case "protocol":
      return `IP protocol ${port.number}`;
    case "protocols":
      return `IP protocols ${numbersText(port.numbers)}`;
    case "icmp":
      return icmpText(port);
    case "otherIcmp":
      return `icmp of ${familyText(port.family)} but ${valuesText(port)}`;
    default:
      return unreachable(port);
  }
}

function sourceText(source: PortRange | undefined): string {
  return source === undefined ? "" : ` from source ports ${source.start}-${source.end}`;
}

function declaredText({ protocol, from, to }: Extract<PortMatch, { kind: "declared" }>): string {
  return [
    to === null ? protocol : `${protocol} ${endText(to)}`,
    ...(from === null ? [] : [`from source ${endText(from)}`]),
  ].join(" ");
}

function endText({ except, ...ports }: EndPorts): string {
  const isEvery = ports.ranges.some(({ start, end }) => start <= 1 && end >= 65_535);
  const all = isEvery ? "ports" : `ports ${listText(ports)}`;
  return except.ranges.length + except.names.length === 0 ? all : `${all} but ${listText(except)}`;
}

function listText({ ranges, names }: PortList): string {
  const numbers = ranges.map(({ start, end }) => (start === end ? String(start) : `${start}-${end}`));
  return [...numbers, ...names.map((name) => `"${name}"`)].join(", ");
}

function icmpText({ family, type, code }: Extract<PortMatch, { kind: "icmp" }>): string {
  const name = family === null ? "icmp" : `icmp of ${familyText(family)}`;
  return [name, valuesText({ type, code })].filter(Boolean).join(" ");
}

function familyText(family: IpFamily): string {
  return family === "v4" ? "IPv4" : "IPv6";
}

function valuesText({ type, code }: Pick<Extract<PortMatch, { kind: "icmp" }>, "type" | "code">): string {
  return [type === null ? "" : `type ${type}`, code === null ? "" : `code ${code}`].filter(Boolean).join(" ");
}

/** Ascending numbers, neighbours as a range: `0-5, 7`. */
function numbersText(numbers: readonly number[]): string {
  const runs: { start: number; end: number }[] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && last.end + 1 === number) last.end = number;
    else runs.push({ start: number, end: number });
  }
  return runs.map(({ start, end }) => (start === end ? String(start) : `${start}-${end}`)).join(", ");
}
