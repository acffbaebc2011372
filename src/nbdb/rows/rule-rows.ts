// Renders one rule to its part of the policy's unit, or keeps the part that it had.

import { isReused } from "../../lib/identity.ts";
import { sameSequence } from "../../lib/sequence.ts";
import type { Direction, PolicyHead, Rule } from "../../policy/ir.ts";
import type { AclPlace } from "../ranking/places.ts";
import type { AclFrame, DesiredAcl } from "./acl.ts";
import { desiredAcl, isExitIn, movedAcl, severityOf } from "./acl.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import type { RowForm } from "../../policy/contracts/row-form.ts";
import { rowForm } from "./form.ts";
import { conjunction, subjectTerm, translatedTerm } from "./match/match.ts";
import { namesSources, renderNamedPorts } from "./match/named-port-rule.ts";
import type { PeerPart } from "./match/peers.ts";
import { renderPeers } from "./match/peers.ts";
import type { PolicyContext, RenderedPolicy, RuleRows } from "./policy-rows.ts";
import type { ShareGroups } from "./match/subject-groups.ts";
import { ruleGroup } from "./match/subject-groups.ts";
import { trafficTerms } from "./match/traffic.ts";

interface RuleContext extends PolicyContext {
  readonly direction: Direction;
  readonly shareGroups: ShareGroups;
}

export function samePlace(a: AclPlace, b: AclPlace): boolean {
  return a.tier === b.tier && a.priority === b.priority;
}

/** Whether both policies' allow rules follow connections alike, and those that pass do the same. */
export function isOfOneSort(policy: PolicyHead, other: PolicyHead, tierLayout?: TierLayout): boolean {
  return (
    policy.stateless === other.stateless &&
    policy.persistent === other.persistent &&
    isExitIn(tierLayout, policy) === isExitIn(tierLayout, other)
  );
}

/** Whether the rule is the one that opens the end of its tier: then it is the only one there that passes. Seldom reads the rule. */
export function isImpliedIn(
  rule: Rule,
  { policy, options, direction }: Pick<RuleContext, "policy" | "options" | "direction">,
): boolean {
  return options.places.isOpenEnd(policy.key, direction) && rule.action === "pass";
}

/** `old`: the earlier rows of the rule with the same direction, index and share. */
export function renderRule(rule: Rule, old: RuleRows | null, context: RuleContext): RuleRows {
  const { policy, options, direction, before } = context;
  const place = options.places.place(policy.key, rule);
  const isImplied = isImpliedIn(rule, context);
  const isOfHead = before !== null && isReused(before.policy.marks, policy.marks);
  if (isOfHead && old?.rule === rule && old.isImplied === isImplied)
    return keptRule(old, place, before, context);
  const peers = keptPeers(rule, old) ?? renderPeers({ policy, direction, rule }, options);
  const ownGroup =
    old !== null && isReused(old.rule.subject, rule.subject) ? old.ownGroup : ruleGroup(rule, context);
  const { name: portGroup } = ownGroup ?? context.portGroup;
  const rows = {
    direction,
    rule,
    place,
    isImplied,
    portGroup,
    ownGroup,
    peers,
    addressSets: peers.addressSets,
  };
  if (peers.term === null || isImplied) return { ...rows, acls: [], namedPorts: null };
  const through = rule.translated === true ? translatedTerm : null;
  const terms = { subject: conjunction([subjectTerm(direction, portGroup), through]), peers: peers.term };
  const frame = { policy, direction, rule, place, isExit: isExitIn(options.tierLayout, policy) };
  return {
    ...rows,
    acls: renderAcls(frame, terms.subject, peers.parts, rowForm(policy, options)),
    namedPorts: renderNamedPorts(frame, ownGroup ?? context.portGroup, terms, options),
  };
}

/** Those of the earlier rows, where they say the same. */
function keptPeers(rule: Rule, old: RuleRows | null): RuleRows["peers"] | null {
  if (old === null || !isReused(old.rule.peers, rule.peers) || !isReused(old.rule.own, rule.own)) return null;
  return old.peers;
}

/** Reuses the rows of an unchanged rule; the policy's head, place or subject may have changed. */
function keptRule(
  old: RuleRows,
  place: AclPlace,
  before: RenderedPolicy,
  { policy, portGroup, direction, options: { tierLayout } }: RuleContext,
): RuleRows {
  const { rule, acls, namedPorts } = old;
  const isInPlace =
    samePlace(old.place, place) &&
    isOfOneSort(before.policy, policy, tierLayout) &&
    severityOf(before.policy, rule) === severityOf(policy, rule);
  const { subjects } = portGroup;
  const own = direction === "ingress" ? "destinations" : "sources";
  const isOfSubject =
    namedPorts !== null &&
    (direction === "ingress" || namesSources(namedPorts)) &&
    rule.subject === null &&
    !sameSequence(before.rows.portGroup.subjects, subjects);
  if (isInPlace && !isOfSubject) return old;
  const frame = { policy, direction, rule, place, isExit: isExitIn(tierLayout, policy) };
  return {
    ...old,
    place,
    acls: isInPlace ? acls : acls.map((acl) => movedAcl(acl, frame)),
    namedPorts: namedPorts && {
      ...namedPorts,
      ...frame,
      ...(isOfSubject && { [own]: subjects }),
    },
  };
}

function renderAcls(
  frame: AclFrame,
  subject: string,
  parts: readonly PeerPart[],
  form: RowForm,
): readonly DesiredAcl[] {
  const { ports } = frame.rule;
  const traffic = ports === null ? [{ protocol: "None", term: null } as const] : trafficTerms(ports);
  return traffic.flatMap(({ protocol, term }) =>
    parts.map((part) => {
      const { term: peers } = part;
      const terms = form.sets === "networkPolicy" ? [peers, term, subject] : [subject, peers, term];
      return desiredAcl(frame, protocol, conjunction(terms), part);
    }),
  );
}
