// What a network plugin does between a node and the pods on it, whatever policies say: for each node a policy before all others, that
// no object is behind. A way that is open is a rule that may match or not.

import { aloneIn } from "../model/cidr.ts";
import type { NodeFact } from "../model/facts.ts";
import { addressesOfNode } from "../model/facts.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { policyKey } from "../policy/ir.ts";
import { pluginKind } from "../policy/outside.ts";
import type { Answer, Cni } from "./answers.ts";
import { sourceText } from "./answers.ts";
import type { OpenAnswer } from "./open-answer.ts";
import { actionsOf, isOpen } from "./open-answer.ts";

interface Way {
  readonly direction: Direction;
  readonly name: string;
  readonly answer: Answer;
}

/** `sure`: without the open rules, for a judge of definite rules. */
export interface PluginPolicy {
  readonly sure: Policy;
  readonly possible: Policy;
  readonly open: readonly OpenAnswer[];
}

/** None for a node without an address. */
export function pluginPolicies(cni: Cni, nodes: readonly NodeFact[]): readonly PluginPolicy[] {
  const ways: readonly Way[] = [
    { direction: "ingress", name: "a node to its own pods", answer: cni.nodeToOwnPods },
    { direction: "egress", name: "a pod to its own node", answer: cni.podToOwnNode },
  ];
  return nodes
    .filter((node) => addressesOfNode(node).length > 0)
    .map((node) => {
      const made = ways.flatMap((way) => ruleOf(way, node).map((rule) => ({ ...way, rule })));
      const policyOf = (some: typeof made): Policy => {
        const of = (direction: Direction) => some.filter((one) => one.direction === direction);
        const [ingress, egress] = [of("ingress"), of("egress")];
        return policyWith(cni, node, {
          ingress: ingress.map(({ rule }) => rule),
          egress: egress.map(({ rule }) => rule),
        });
      };
      const sure = policyOf(made.filter(({ answer }) => !isOpen(answer)));
      const open = made.filter(({ answer }) => isOpen(answer));
      return {
        sure,
        possible: open.length === 0 ? sure : policyOf(made),
        open: open.map(({ answer, rule }) => ({
          ...{ policy: sure, rule, actions: actionsOf(answer), text: sourceText(cni, answer) },
        })),
      };
    });
}

function policyWith({ name }: Cni, node: NodeFact, rules: Policy["rules"]): Policy {
  const ref = { ...pluginKind, namespace: null, name };
  return {
    ...{ ref, key: policyKey({ ...ref, name: `${name} ${node.name}` }) },
    ...{ ownerType: pluginKind.kind, shortKind: pluginKind.kind },
    ...{ tier: { name: "network plugin", order: Number.NEGATIVE_INFINITY }, priority: 0 },
    logging: { allow: null, deny: null, pass: null, reject: null },
    subject: [{ kind: "podsOfNode", node: node.name }],
    ...{ rules, unmatched: { ingress: "next", egress: "next" } },
  };
}

/** None where the policies decide. */
function ruleOf({ name, answer }: Way, node: NodeFact): readonly Rule[] {
  const [action] = actionsOf(answer);
  if (action === undefined) return [];
  const networks = [...new Set(addressesOfNode(node).map(aloneIn))].sort();
  return [
    {
      ...{ index: 0, name, action, share: null, subject: null, ports: null, logging: null },
      peers: networks.map((cidr) => ({ kind: "network", cidr, except: [] })),
    },
  ];
}
