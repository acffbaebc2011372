// Renders the named ports of a rule: where they are looked up, and the terms before what they resolve to. What
// they resolve to depends on members, and is added later (desired/resolved-ports.ts).

import type { Rule } from "../../../policy/ir.ts";
import { leadsAnywhere, namedPeersOf, namesIn } from "../../../policy/peers.ts";
import { peerTerms, portNamesIn } from "../../../policy/normal-form.ts";
import type { AclFrame } from "../acl.ts";
import { conjunction } from "./match.ts";
import type { RenderOptions } from "../render-mode.ts";
import { groupKeys } from "../../../contents/rule-peers.ts";
import type { DesiredPortGroup, NamedPortRule } from "../unit.ts";
import { declaredPorts, wantedPorts } from "./wanted-ports.ts";

/** The terms of a rule's match. */
export interface Terms {
  readonly subject: string;
  readonly peers: string;
}

/**
 * Ingress names are destinations on the subject's own local pods. In a zone's own database the destination addresses
 * alone name local ports, as documented; in one database for all nodes the subject term must precede them, since
 * an ACL without it acts on every switch that has a port of the group. Egress needs no address set where the destinations
 * are the peers' own addresses; where they are more, or the subject's addresses are restricted, the peers' term says so.
 * Where a match says more than destinations, both terms precede it.
 */
export function renderNamedPorts(
  frame: AclFrame,
  portGroup: DesiredPortGroup,
  terms: Terms,
  options: RenderOptions,
): NamedPortRule | null {
  const ports = frame.rule.ports ?? [];
  const [wanted, declared] = [wantedPorts(ports), declaredPorts(ports)];
  if (wanted.length + declared.length === 0) return null;
  const both = conjunction([terms.subject, terms.peers]);
  const ingress = frame.direction === "ingress";
  const isListed = declared.length > 0;
  const ingressPrefix = options.zone === null || isListed ? both : terms.peers;
  const egressPrefix = isRestricted(frame.rule) || isListed ? both : terms.subject;
  const { unit, name, subjects } = portGroup;
  const peers = groupKeys(namedPeersOf(frame.rule, frame.direction));
  const sourceNames = declared.flatMap(({ from }) => namesIn(from));
  const names = [...wanted.map((port) => port.name), ...declared.flatMap(({ to }) => namesIn(to))];
  return {
    ...{ ...frame, unit, portGroup: name, wanted, declared },
    destinations: ingress ? subjects : peers,
    sources: namesSources({ declared }) ? (ingress ? peers : subjects) : [],
    portNames: distinct([...names, ...sourceNames]),
    destinationNames: distinct(portNamesIn(ports)),
    form: isListed ? "list" : options.namedPorts,
    prefix: ingress ? ingressPrefix : egressPrefix,
  };
}

/** Whether names of the sources' ports are looked up. */
export function namesSources({ declared }: Pick<NamedPortRule, "declared">): boolean {
  return declared.some(({ from }) => namesIn(from).length > 0);
}

/** Sorted by their bytes. */
function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Whether an egress rule demands more than that the destination is a pod of its peers. */
function isRestricted(rule: Rule): boolean {
  const isNarrowed = rule.own !== undefined || peerTerms(rule).some(({ within }) => within !== null);
  return isNarrowed || leadsAnywhere(rule, "egress");
}
