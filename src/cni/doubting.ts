// What a policy of Kubernetes' own APIs does with protocols of which these APIs say nothing: policies of the same place that have one
// open rule for each such protocol. Policies that a plugin brings say what they mean.

import { protocolNumbers } from "../model/protocols.ts";
import { everySubject } from "../policy/every-subject.ts";
import type { PortMatch, Policy, Rule } from "../policy/ir.ts";
import { directions, everyPeer, policyKey } from "../policy/ir.ts";
import { pluginKind } from "../policy/outside.ts";
import type { Answer, Cni } from "./answers.ts";
import { sourceText } from "./answers.ts";
import type { OpenedPolicy } from "./open-answer.ts";
import { actionsOf, isOpen } from "./open-answer.ts";

const apiGroups: ReadonlySet<string> = new Set(["networking.k8s.io", "policy.networking.k8s.io"]);

/** IANA numbers of the protocols that these APIs define policies for. */
const defined = new Set(Object.values(protocolNumbers));
const others: PortMatch = {
  kind: "protocols",
  numbers: Array.from({ length: 256 }, (_, number) => number).filter((number) => !defined.has(number)),
};
const sctp: PortMatch = { kind: "protocol", number: protocolNumbers.sctp };

/** None where nothing is open. */
export function doubting(policy: Policy, cni: Cni): readonly OpenedPolicy[] {
  if (!apiGroups.has(policy.ref.group)) return [];
  const asked: readonly (readonly [Answer, PortMatch])[] = [
    [cni.icmp, others],
    [cni.sctp, sctp],
  ];
  const open = asked.filter(([answer]) => isOpen(answer));
  if (open.length === 0) return [];
  const made = open.map(([answer, ports], index) => ({ answer, rule: ruleOf(answer, ports, index) }));
  const rules = made.map(({ rule }) => rule);
  const [ingress, egress] = directions.map((direction) => (speaks(policy, direction) ? rules : []));
  const { ref, tier, priority, logging, ownerType, shortKind } = policy;
  const doubt: Policy = {
    ...{ ref, tier, priority, logging, ownerType, shortKind },
    // No object has such a key, and nobody is blamed for what the APIs do not say.
    key: policyKey({ ...pluginKind, namespace: null, name: `${policy.key} other protocols` }),
    subject: everySubject(policy),
    rules: { ingress: ingress ?? [], egress: egress ?? [] },
    unmatched: { ingress: "next", egress: "next" },
  };
  return [
    {
      policy: doubt,
      open: made.map(({ answer, rule }) => ({
        ...{ policy, rule, actions: actionsOf(answer), text: sourceText(cni, answer) },
      })),
    },
  ];
}

function ruleOf(answer: Answer, ports: PortMatch, index: number): Rule {
  const [action = "deny"] = actionsOf(answer);
  return {
    index,
    name: "",
    action,
    share: null,
    subject: null,
    peers: everyPeer,
    ports: [ports],
    logging: null,
  };
}

function speaks({ rules, unmatched }: Policy, direction: (typeof directions)[number]): boolean {
  return rules[direction].length > 0 || unmatched[direction] === "deny";
}
