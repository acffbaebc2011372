// Renders the ACL rows of rules and of default denies: action, direction, place, logging, and the match built from its
// terms.

import { unreachable } from "../../lib/invariant.ts";
import type { Action, Direction, LogSeverity, PolicyHead, Rule } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import { aroundOf, isStack, sideOf } from "../../policy/contracts/tier-layout.ts";
import type { AclPlace } from "../ranking/places.ts";
import { conjunction, neighbourTerm, subjectTerm } from "./match/match.ts";
import type { ExternalIds, PeersOfAcl, PortPolicyProtocol } from "./names.ts";
import {
  aclIds,
  allPeers,
  aclName,
  defaultDenyIds,
  isolationAclIds,
  isolationAclName,
  keys,
  watchAclIds,
  watchAclName,
} from "./names.ts";
import type { AclRow } from "./schema.ts";

/** An ACL as desired, under its `k8s.ovn.org/id`. */
export interface DesiredAcl {
  readonly id: string;
  readonly row: AclRow;
}

/**
 * The Meter row that limits ACL logging. The operator who sets up ovn-controller's logging creates it. Always named,
 * logged or not.
 */
const meter = "acl-logging";

const noOptions: ReadonlyMap<string, string> = new Map();
/** Egress is judged after load balancing, so that a Service's traffic is seen with its real destination. */
const egressOptions: ReadonlyMap<string, string> = new Map([["apply-after-lb", "true"]]);

function aclAction(action: Action, { stateless }: Pick<PolicyHead, "stateless">): string {
  switch (action) {
    case "allow":
      return stateless === true ? "allow-stateless" : "allow-related";
    case "deny":
      return "drop";
    case "pass":
      return "pass";
    case "reject":
      return "reject";
    default:
      return unreachable(action);
  }
}

/** Connections that an `allow-related` let through are remembered, and no ACL is asked about them again. */
const persistent = {
  ingress: new Map([["persist-established", "true"]]),
  egress: new Map([...egressOptions, ["persist-established", "true"]]),
};

function aclOptions(direction: Direction, action: string, isPersistent = false): ReadonlyMap<string, string> {
  if (isPersistent && action === "allow-related") return persistent[direction];
  return direction === "ingress" ? noOptions : egressOptions;
}

/** The rule that an ACL belongs to, and the ACL's place. */
export interface AclFrame {
  /** The policy as it was when the rule was rendered; what the rule's rows need of it has not changed since. */
  readonly policy: PolicyHead;
  readonly direction: Direction;
  readonly rule: Rule;
  readonly place: AclPlace;
  /** Whether the policy's rules that pass allow. */
  readonly isExit: boolean;
}

/**
 * Whether what passes from the policy's tier is allowed here: nothing follows the tier, and `pass` of OVN would lead to rows of the same
 * tier. Where something follows, the places refuse such a rule.
 */
export function isExitIn(tierLayout: TierLayout | undefined, policy: PolicyHead): boolean {
  const around = aroundOf(tierLayout ?? "threeTiers");
  return around !== null && sideOf(policy, around) === "sameTier";
}

function actionOf({ policy, rule, isExit }: AclFrame): string {
  return aclAction(isExit && rule.action === "pass" ? "allow" : rule.action, policy);
}

export function desiredAcl(
  frame: AclFrame,
  protocol: PortPolicyProtocol,
  match: string,
  peers: PeersOfAcl = allPeers,
): DesiredAcl {
  const { policy, direction, rule } = frame;
  const label = rule.logging?.label ?? null;
  const ids = marked(policy, aclIds(policy, direction, rule, protocol, peers));
  return aclOf(direction, {
    name: aclName(policy, direction, rule.index, label),
    action: actionOf(frame),
    match,
    externalIds: label === null ? ids : new Map([...ids, [keys.logLabel, label]]),
    placed: placeAndLogging(frame),
    isPersistent: policy.persistent,
  });
}

/** With the policy's marks, which are no part of the id. */
function marked({ marks }: PolicyHead, ids: ExternalIds): ExternalIds {
  return marks === undefined ? ids : new Map([...ids, ...Object.entries(marks)]);
}

/** The new ACL of a policy whose head or place changed, while the rule did not. */
export function movedAcl(acl: DesiredAcl, frame: AclFrame): DesiredAcl {
  const action = actionOf(frame);
  const options = aclOptions(frame.direction, action, frame.policy.persistent);
  return { id: acl.id, row: { ...acl.row, action, options, ...placeAndLogging(frame) } };
}

const ipTerm = "(ip4 || ip6)";

/**
 * Denies a subject's traffic that no rule matches. ARP and ND still pass: OVN's ACLs do not count them as IP, or OVN
 * allows them before its ACLs.
 */
export function defaultDenyAcl(
  policy: PolicyHead,
  direction: Direction,
  place: AclPlace,
  subject: string,
): DesiredAcl {
  const severity = policy.logging.deny;
  return aclOf(direction, {
    name: aclName(policy, direction, "default", null),
    action: aclAction("deny", policy),
    match: conjunction([subject, ipTerm]),
    externalIds: marked(policy, defaultDenyIds(policy, direction)),
    placed: { ...place, log: severity !== null, severity },
  });
}

/** A namespace and a direction in which pods of it are isolated; the policy's head says how denies are logged. */
export interface IsolationFrame {
  readonly policy: PolicyHead;
  readonly namespace: string;
  readonly direction: Direction;
  readonly place: AclPlace;
}

/**
 * The default deny of isolated pods, and the allow before it without which they would find no neighbour, as documented. Where tiers
 * are one stack the place before it is another's: there it denies IP alone, and lets neighbours be found as every default deny does.
 */
export function isolationAcls(
  { policy, namespace, direction, place }: IsolationFrame,
  portGroup: string,
  tierLayout: TierLayout = "threeTiers",
): readonly DesiredAcl[] {
  const name = isolationAclName(policy.shortKind, namespace, direction);
  const subject = subjectTerm(direction, portGroup);
  const severity = policy.logging.deny;
  const { tier, priority } = place;
  const isOne = isStack(tierLayout);
  const deny = aclOf(direction, {
    ...{ name, action: aclAction("deny", policy) },
    match: isOne ? conjunction([subject, ipTerm]) : subject,
    externalIds: isolationAclIds(namespace, direction, "defaultDeny"),
    placed: { tier, priority, log: severity !== null, severity },
  });
  if (isOne) return [deny];
  const neighbours = aclOf(direction, {
    ...{ name, action: "allow", match: conjunction([subject, neighbourTerm]) },
    externalIds: isolationAclIds(namespace, direction, "arpAllow"),
    placed: { tier, priority: priority + 1, log: false, severity: null },
  });
  return [deny, neighbours];
}

/** Behind every place of policies, and in no tier before the last: a `pass` there would end what an open connection goes by. */
const watchPlace: AclPlace = { tier: 3, priority: 0 };

/** Match every packet of the group's pods and decide nothing: packets that no policy judges get a number. */
export function watchAcls(portGroup: string): readonly DesiredAcl[] {
  return directions.map((direction) =>
    aclOf(direction, {
      name: watchAclName(direction),
      action: "pass",
      match: conjunction([subjectTerm(direction, portGroup), ipTerm]),
      externalIds: watchAclIds(direction),
      placed: { ...watchPlace, log: false, severity: null },
    }),
  );
}

interface AclParts {
  readonly name: string;
  /** ACL.action. */
  readonly action: string;
  readonly match: string;
  readonly externalIds: ExternalIds;
  readonly placed: Pick<AclRow, "tier" | "priority" | "log" | "severity">;
  readonly isPersistent?: boolean | undefined;
}

function aclOf(direction: Direction, parts: AclParts): DesiredAcl {
  const { name, action, match, externalIds, placed, isPersistent } = parts;
  const row: AclRow = {
    name,
    action,
    direction: direction === "ingress" ? "to-lport" : "from-lport",
    match,
    meter,
    options: aclOptions(direction, action, isPersistent),
    external_ids: externalIds,
    ...placed,
  };
  return { id: externalIds.get(keys.id) ?? "", row };
}

/** The rule's own logging, or else the policy's. */
export function severityOf(policy: PolicyHead, { action, logging }: Rule): LogSeverity | null {
  return logging === null ? policy.logging[action] : logging.severity;
}

function placeAndLogging({
  policy,
  rule,
  place,
}: AclFrame): Pick<AclRow, "tier" | "priority" | "log" | "severity"> {
  const severity = severityOf(policy, rule);
  return { ...place, log: severity !== null, severity };
}
