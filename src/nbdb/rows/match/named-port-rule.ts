// Renders the named ports of a rule: where they are looked up, and the terms before what they resolve to. What
// they resolve to depends on members, and is added later (desired/resolved-ports.ts).

import type { Rule } from "../../../policy/ir.ts";
import { destinationsOf, leadsAnywhere } from "../../../policy/peers.ts";
import { peerTerms } from "../../../policy/normal-form.ts";
import type { AclFrame } from "../acl.ts";
import { conjunction } from "./match.ts";
import type { RenderOptions } from "../render-mode.ts";
import { groupKeys } from "../../../contents/rule-peers.ts";
import type { DesiredPortGroup, NamedPortRule } from "../unit.ts";
import { wantedPorts } from "./wanted-ports.ts";

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
 */
export function renderNamedPorts(
  frame: AclFrame,
  portGroup: DesiredPortGroup,
  terms: Terms,
  options: RenderOptions,
): NamedPortRule | null {
  const wanted = wantedPorts(frame.rule.ports ?? []);
  if (wanted.length === 0) return null;
  const ingress = frame.direction === "ingress";
  const ingressPrefix = options.zone === null ? conjunction([terms.subject, terms.peers]) : terms.peers;
  const egressPrefix = isRestricted(frame.rule) ? conjunction([terms.subject, terms.peers]) : terms.subject;
  const { unit, name, subjects } = portGroup;
  return {
    ...{ ...frame, unit, portGroup: name, wanted },
    destinations: ingress ? subjects : groupKeys(destinationsOf(frame.rule)),
    portNames: [...new Set(wanted.map((port) => port.name))],
    form: options.namedPorts,
    prefix: ingress ? ingressPrefix : egressPrefix,
  };
}

/** Whether an egress rule demands more than that the destination is a pod of its peers. */
function isRestricted(rule: Rule): boolean {
  const isNarrowed = rule.own !== undefined || peerTerms(rule).some(({ within }) => within !== null);
  return isNarrowed || leadsAnywhere(rule, "egress");
}
