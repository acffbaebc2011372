// Whether a packet filter can express a policy: every value that the IR's types allow has a line, but for stateless policies, since
// what answers an allowed packet is let through by connection tracking, for addresses that no pod of a group has,
// and for ports that pods do not declare or declare at both ends. A value that no code knows is refused. Pure; never throws.

import type { Refusal } from "../policy/contracts/backend.ts";
import type { Direction, Peer, Policy, PortMatch, Rule } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { actionFault, peerFault, portFault, unmatchedFault } from "../policy/value-faults.ts";

export function refusalsOf(policy: Policy): readonly Refusal[] {
  const ofValues = directions.flatMap((direction) => [
    ...refusalOf(unmatchedFault(policy.unmatched[direction]), { kind: "unmatched", direction }),
    ...policy.rules[direction].flatMap((rule) => refusalsOfRule(rule, direction)),
  ]);
  const isStateless = policy.stateless === true ? "its rules follow no connections" : null;
  return [...refusalOf(isStateless, { kind: "policy" }), ...ofValues];
}

function refusalsOfRule({ index, action, peers, ports }: Rule, direction: Direction): readonly Refusal[] {
  const part = { kind: "rule", direction, index } as const;
  return [
    ...refusalOf(actionFault(action), { ...part, field: "action" }),
    ...peers.flatMap((peer) =>
      refusalOf(peerFault(peer, direction) ?? othersFault(peer), { ...part, field: "peers" }),
    ),
    ...(ports ?? []).flatMap((port) =>
      refusalOf(portFault(port) ?? declaredFault(port), { ...part, field: "ports" }),
    ),
  ];
}

/** A set of a packet filter has the addresses of a group, and none has all others. */
function othersFault({ kind }: Peer): string | null {
  return kind === "others" ? "addresses that no pod of a group has" : null;
}

/** A set of a packet filter has the ports of destinations by one name. */
function declaredFault({ kind }: PortMatch): string | null {
  return kind === "declared" ? "ports by what both ends of a connection declare" : null;
}

function refusalOf(fault: string | null, part: Refusal["part"]): readonly Refusal[] {
  if (fault === null) return [];
  return [{ code: "Unsupported", part, message: `the packet filter has no rules for it: ${fault}` }];
}
