// The named ports of a policy that no container port of their destinations has, asked of the membership when someone wants to know.

import type { Membership } from "../policy/contracts/membership.ts";
import type { UnmatchedPort } from "../policy/contracts/unmatched-port.ts";
import type { Policy } from "../policy/ir.ts";
import { directions, groupKey } from "../policy/ir.ts";
import { namedPeersOf } from "../policy/peers.ts";
import { portNamesIn } from "../policy/normal-form.ts";
import { undeclaredNames } from "./named-ports.ts";

/** Ingress first, then by the rules' places and by name. */
export function undeclaredPorts(policy: Policy, membership: Membership): readonly UnmatchedPort[] {
  return directions.flatMap((direction) =>
    policy.rules[direction].flatMap((rule) => {
      const groups =
        direction === "ingress" ? (rule.subject ?? policy.subject) : namedPeersOf(rule, direction);
      const names = [...new Set(portNamesIn(rule.ports))].sort();
      const undeclared = undeclaredNames(membership, groups.map(groupKey), names);
      return undeclared.map((name) => ({ direction, index: rule.index, name }));
    }),
  );
}
