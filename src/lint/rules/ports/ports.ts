// NG006: names of ports that no destination of the rule declares, or declares for another protocol only: the rule matches
// nothing by them. Says nothing where the rule has no destination at all, which NG004 reports.

import type { NamedPort, PodFact } from "../../../model/facts.ts";
import { isOnPodNetwork } from "../../../model/facts.ts";
import { namespaceLabels, podLabels } from "../../../model/selectable.ts";
import { everything, selects } from "../../../model/selector.ts";
import type { PortMatch, SubjectGroup } from "../../../policy/ir.ts";
import { byAnyAddress } from "../../../policy/peers.ts";
import { excerptOf } from "../../../lib/text/few.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule, partOf } from "../../draft.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import { subjectOf } from "../../../verdicts/entries.ts";

/** A name of a rule's destinations. */
type Named = Pick<Extract<PortMatch, { kind: "named" }>, "name" | "protocol">;

const shown = 5;

export function* noSuchPort(context: Context): Generator<Draft> {
  for (const entry of context.entries()) {
    const named = (entry.rule.ports ?? []).flatMap(namesIn);
    if (named.length === 0) continue;
    const pods = destinations(entry, context);
    if (pods.length === 0 || context.open.isOpen({ policy: entry.policy, entry })) continue;
    const declared = pods.flatMap(({ ports }) => ports);
    for (const port of named)
      if (!declared.some((one) => isMeant(one, port))) yield draftOf(entry, port, declared);
  }
}

function namesIn(port: PortMatch): readonly Named[] {
  if (port.kind !== "declared") return port.kind === "named" ? [port] : [];
  return (port.to?.names ?? []).map((name) => ({ name, protocol: port.protocol }));
}

function isMeant({ name, protocol }: NamedPort, port: Named): boolean {
  return name === port.name && (port.protocol ?? protocol) === protocol;
}

function draftOf(entry: OrderedRule, port: Named, declared: readonly NamedPort[]): Draft {
  const others = [
    ...new Set(declared.filter(({ name }) => name === port.name).map(({ protocol }) => protocol)),
  ];
  const names = [...new Set(declared.map(({ name }) => name))].sort();
  const meant = nearest(port.name, names);
  const known =
    names.length === 0
      ? "they declare no names"
      : `they declare ${excerptOf(names.length, names.slice(0, shown))}`;
  return {
    ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "ports"), about: port.name },
    message:
      others.length > 0
        ? `port ${port.name} is declared for ${others.join(" and ")} only, and the rule says ${port.protocol ?? ""}`
        : `no destination declares a port named ${port.name}; ${known}`,
    fix:
      others.length > 0
        ? `say ${others.join(" or ")}`
        : meant === null
          ? "name a declared port, or give its number"
          : `did you mean ${meant}?`,
  };
}

/** The pods on which the rule's names of ports are looked up. */
function destinations(
  { policy, direction, rule }: OrderedRule,
  { facts, pods }: Context,
): readonly PodFact[] {
  const groups =
    direction === "ingress" ? subjectOf({ policy, rule }) : rule.peers.map(byAnyAddress).flatMap(groupOfPeer);
  return pods.filter((pod) => {
    const namespace = facts.namespaces.get(pod.namespace);
    if (namespace === undefined || !isOnPodNetwork(pod)) return false;
    return groups.some((group) => {
      if (group.kind === "podsOfNode") return pod.node === group.node;
      return selects(group.namespaces, namespaceLabels(namespace)) && selects(group.pods, podLabels(pod));
    });
  });
}

/** An address may be any pod's. */
function groupOfPeer(peer: ReturnType<typeof byAnyAddress>): readonly SubjectGroup[] {
  if (peer.kind === "pods") return [peer];
  if (peer.kind === "nodes") return [];
  const pods = peer.kind === "sameNamespaces" ? peer.pods : everything;
  return [{ kind: "pods", namespaces: everything, pods }];
}
