// What was not read, as policies with rules of which it is open whether they match: refused policies and policies of kinds that are
// not read. With them every question about verdicts has one answer: a verdict is possible exactly when some choice of the open
// rules gives it. A policy of a kind that is not read stands before all others, for it may decide whatever they say.

import { everything } from "../model/selector.ts";
import { namespacesNamed } from "../model/selectable.ts";
import type { Action, Direction, Policy, PolicyKey, Rule } from "../policy/ir.ts";
import { everyPeer, policyKey } from "../policy/ir.ts";
import type { ForeignPolicy } from "./foreign.ts";
import type { OpenRule } from "./possible.ts";
import type { Unknowns } from "./unknowns.ts";

export interface OpenPolicies {
  /** Beside those in force; their keys are no other policy's. */
  readonly policies: readonly Policy[];
  /** Rules of these and of policies in force. */
  readonly open: ReadonlyMap<Rule, OpenRule>;
}

const effects: Readonly<Record<ForeignPolicy["effect"], readonly Action[]>> = {
  any: ["allow", "deny"],
  deny: ["deny"],
};

export function openPolicies({ rules, unread }: Unknowns, foreign: readonly ForeignPolicy[]): OpenPolicies {
  const open = new Map<Rule, OpenRule>(rules);
  // An edit that is refused leaves what was in force there, under the same key.
  const refused = unread.map((policy): Policy => ({ ...policy, key: keyOf(policy.ref, "") }));
  const others = foreign.map((policy, at) => {
    const made = foreignPolicy(policy, at);
    for (const rule of [...made.rules.ingress, ...made.rules.egress])
      open.set(rule, { actions: effects[policy.effect], byPeers: false });
    return made;
  });
  return { policies: [...refused, ...others], open };
}

function foreignPolicy(foreign: ForeignPolicy, at: number): Policy {
  const { group, kind, namespace, name, reach, selectors } = foreign;
  const ref = { group, kind, namespace, name };
  const namespaces = reach === null ? everything : namespacesNamed([reach]);
  const ruleOf = (direction: Direction): readonly Rule[] =>
    foreign.directions.includes(direction) ? [whatever()] : [];
  return {
    ...{ key: keyOf(ref, at), ref, ownerType: "", shortKind: "" },
    logging: { allow: null, deny: null, pass: null, reject: null },
    ...{ tier: { name: "?", order: Number.NEGATIVE_INFINITY }, priority: 0 },
    subject: selectors.map((pods) => ({ kind: "pods", namespaces, pods })),
    rules: { ingress: ruleOf("ingress"), egress: ruleOf("egress") },
    unmatched: { ingress: "next", egress: "next" },
  };
}

/** No object has such a name. */
function keyOf(ref: Policy["ref"], at: number | ""): PolicyKey {
  return policyKey({ ...ref, name: `${ref.name} unread ${at}` });
}

function whatever(): Rule {
  return {
    ...{ index: 0, name: "", action: "deny", share: null, subject: null },
    ...{ peers: everyPeer, ports: null, logging: null },
  };
}
