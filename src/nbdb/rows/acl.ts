// One rule's ACL rows: action, direction, place, logging, and the match put together from its terms.

import { unreachable } from "../../lib/invariant.ts";
import type { Action, Direction, PolicyHead, Rule } from "../../policy/ir.ts";
import { aclPlace } from "./priorities.ts";
import type { PortPolicyProtocol } from "./names.ts";
import { aclIds, aclName, keys } from "./names.ts";
import type { AclRow } from "./schema.ts";

/** An ACL as desired, under its `k8s.ovn.org/id`. */
export interface DesiredAcl {
  readonly id: string;
  readonly row: AclRow;
}

/** The Meter row that limits ACL logging; whoever runs ovn-controller's logging creates it. Always named, logged or not. */
const meter = "acl-logging";

const noOptions: ReadonlyMap<string, string> = new Map();
/** Egress is judged after load balancing, so that a Service's traffic is seen with its real destination. */
const egressOptions: ReadonlyMap<string, string> = new Map([["apply-after-lb", "true"]]);

function aclAction(action: Action): string {
  switch (action) {
    case "allow":
      return "allow-related";
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

export function desiredAcl(
  policy: PolicyHead,
  direction: Direction,
  rule: Rule,
  protocol: PortPolicyProtocol,
  match: string,
): DesiredAcl {
  const externalIds = aclIds(policy, direction, rule, protocol);
  const row: AclRow = {
    name: aclName(policy, direction, rule.index),
    action: aclAction(rule.action),
    direction: direction === "ingress" ? "to-lport" : "from-lport",
    match,
    meter,
    options: direction === "ingress" ? noOptions : egressOptions,
    external_ids: externalIds,
    ...placeAndLogging(policy, rule),
  };
  return { id: externalIds.get(keys.id) ?? "", row };
}

/** The ACL of a policy that has moved or logs otherwise, and of which the rule is what it was. */
export function movedAcl(acl: DesiredAcl, policy: PolicyHead, rule: Rule): DesiredAcl {
  return { id: acl.id, row: { ...acl.row, ...placeAndLogging(policy, rule) } };
}

function placeAndLogging(
  policy: PolicyHead,
  rule: Rule,
): Pick<AclRow, "tier" | "priority" | "log" | "severity"> {
  const severity = policy.logging[rule.action];
  return { ...aclPlace(policy, rule.index), log: severity !== null, severity };
}
