// Whether a rule matches a connection, by its normal form, and whether a subject selects an end: what each field means. Slow and
// plain on purpose, as evaluate.ts.

import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../model/protocols.ts";
import { hostNameLabels, namespaceLabels, podLabels } from "../model/selectable.ts";
import { contains } from "../model/cidr.ts";
import { everything, selects } from "../model/selector.ts";
import type { Connection, End, World } from "./connection.ts";
import type {
  Direction,
  EndPorts,
  HostNameGroup,
  NodeGroup,
  PodGroup,
  PortList,
  PortRange,
  Rule,
  SameNamespaces,
  Subject,
} from "./ir.ts";
import { everyPod } from "./ir.ts";
import type { Ends, EndTerm, RuleForm, SourcePorts, TrafficTerm } from "./normal-form.ts";
import { formOf, nothingElse, subjectForm } from "./normal-form.ts";
import { isInRange } from "./ports/port-ranges.ts";

/** The end that the rules of a direction are about. */
export function subjectOf(connection: Connection, direction: Direction): End {
  return direction === "egress" ? connection.from : connection.to;
}

export function matches(rule: Rule, direction: Direction, connection: Connection, world: World): boolean {
  const { source, destination, traffic, isTranslated, ...others } = formOf(rule, direction);
  nothingElse(others);
  return (
    hasWay({ isTranslated }, connection) &&
    hasEnds({ source, destination }, direction, connection, world) &&
    hasTraffic({ traffic }, connection, world)
  );
}

/** Whether the connection reached its destination as the rule demands: through a Service, where it does. */
export function hasWay({ isTranslated }: Pick<RuleForm, "isTranslated">, connection: Connection): boolean {
  return !isTranslated || connection.translated === true;
}

export function hasEnds(
  { source, destination }: Pick<RuleForm, "source" | "destination">,
  direction: Direction,
  connection: Connection,
  world: World,
): boolean {
  const subject = subjectOf(connection, direction);
  const isAny = (end: End, terms: readonly EndTerm[] | null) =>
    terms === null || terms.some((term) => isOfTerm(end, term, subject, world));
  return isAny(connection.from, source) && isAny(connection.to, destination);
}

export function hasTraffic(
  { traffic }: Pick<RuleForm, "traffic">,
  connection: Connection,
  world: World,
): boolean {
  return traffic === null || traffic.some((term) => isTraffic(connection, term, world));
}

function isOfTerm(
  end: End,
  { anyOf, noneOf, within, ...others }: EndTerm,
  subject: End,
  world: World,
): boolean {
  nothingElse(others);
  if (!isAmong(end, anyOf, subject, world) || isAmong(end, noneOf, subject, world)) return false;
  return within === null || isAmong(end, within, subject, world);
}

function isAmong(end: End, ends: Ends, subject: End, world: World): boolean {
  const { everything: isEvery, pods, sameNamespaces, nodes, hostNames, networks, ...others } = ends;
  nothingElse(others);
  return (
    isEvery ||
    networks.some((cidr) => contains(cidr, end.ip)) ||
    isOfPods(end, pods, world) ||
    sameNamespaces.some((one) => isInSameNamespaces(end, one, subject, world)) ||
    nodes.some((one) => isNode(end, one, world)) ||
    hostNames.some((one) => addressesOf(one, world).includes(end.ip))
  );
}

function isNode({ ip }: End, { nodes }: NodeGroup, world: World): boolean {
  return Iterator.from(world.nodes).some((node) => selects(nodes, node.labels) && node.ips.includes(ip));
}

/** The addresses that DNS answered for the host names that are meant. */
export function addressesOf(
  { names }: HostNameGroup,
  { hostNames }: Pick<World, "hostNames">,
): readonly IpAddress[] {
  return [...hostNames].flatMap((fact) => (selects(names, hostNameLabels(fact)) ? fact.ips : []));
}

/**
 * Neither a subject nor a peer selects pods outside the reach of policies: host-network, completed, unscheduled ones.
 */
export function isSelected(end: End, subject: Subject, world: World): boolean {
  const { pods, ofNodes, ...others } = subjectForm(subject);
  nothingElse(others);
  return isOfNodes(end, ofNodes) || isOfPods(end, pods, world);
}

/** Whether the end is a pod on one of the nodes. */
export function isOfNodes({ pod }: End, nodes: readonly string[]): boolean {
  return pod !== null && isOnPodNetwork(pod) && pod.node !== null && nodes.includes(pod.node);
}

function isOfPods({ pod }: End, groups: readonly PodGroup[], { namespaces }: World): boolean {
  if (pod === null || groups.length === 0 || !isOnPodNetwork(pod)) return false;
  const namespace = namespaces.get(pod.namespace);
  if (namespace === undefined) return false;
  const [scope, labels] = [namespaceLabels(namespace), podLabels(pod)];
  return groups.some((group) => selects(group.namespaces, scope) && selects(group.pods, labels));
}

function isInSameNamespaces(end: End, peer: SameNamespaces, subject: End, world: World): boolean {
  const of = ({ pod }: End) => (pod === null ? undefined : world.namespaces.get(pod.namespace));
  const [own, other] = [of(subject), of(end)];
  if (own === undefined || other === undefined) return false;
  if (!isOfPods(end, [{ kind: "pods", namespaces: everything, pods: peer.pods }], world)) return false;
  if (peer.keys.length === 0) return own.name === other.name;
  return peer.keys.every((key) => own.labels.has(key) && own.labels.get(key) === other.labels.get(key));
}

function isTraffic(connection: Connection, term: TrafficTerm, world: World): boolean {
  const { family, protocols, source, destination, icmpTypes, icmpCodes, ...others } = term;
  nothingElse(others);
  const { to, port } = connection;
  if (family !== null && family !== familyOf(to.ip)) return false;
  if (protocols !== null && !protocols.includes(protocolNumber(connection))) return false;
  return (
    (source === null || isSourcePort(connection, source, world)) &&
    (destination === null || isPortOf(to, port, destination, connection, world)) &&
    isIcmp(connection, icmpTypes, icmpCodes)
  );
}

function isSourcePort(connection: Connection, ports: SourcePorts, world: World): boolean {
  const { from, sourcePort } = connection;
  return sourcePort === undefined ? ports.hasUnnamed : isPortOf(from, sourcePort, ports, connection, world);
}

/**
 * A name matches one of the container ports of the pod at that end, which gives the number and, as a rule, the protocol. As
 * peers do, it finds only pods in the reach of policies, of namespaces that are known.
 */
function isPortOf(
  end: End,
  port: number,
  { ranges, names, except }: EndPorts,
  connection: Connection,
  world: World,
): boolean {
  const isOne = (list: PortList) => isListed(end, port, list, connection, world);
  return isOne({ ranges, names }) && !isOne(except);
}

function isListed(
  end: End,
  port: number,
  { ranges, names, ...others }: PortList,
  { protocol }: Connection,
  world: World,
): boolean {
  nothingElse(others);
  if (isInRange(port, ranges)) return true;
  if (names.length === 0 || !isOfPods(end, everyPod, world)) return false;
  const declared = end.pod?.ports ?? [];
  return declared.some((one) => names.includes(one.name) && one.protocol === protocol && one.port === port);
}

function isIcmp(
  { icmp, to }: Connection,
  types: readonly PortRange[] | null,
  codes: readonly PortRange[] | null,
): boolean {
  const { type, code } = icmp ?? { type: familyOf(to.ip) === "v4" ? 8 : 128, code: 0 };
  return (types === null || isInRange(type, types)) && (codes === null || isInRange(code, codes));
}

/** As packets have it. */
export function protocolNumber({ protocol, to }: Connection): number {
  if (typeof protocol === "number") return protocol;
  if (protocol !== "icmp") return protocolNumbers[protocol];
  return icmpNumbers[familyOf(to.ip)];
}
