// What a network plugin does between a pod and its own node, whatever policies say: a policy before all others, that no object is
// behind. A way that is open is a rule that may match or not.

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

/** `possible`: with the open rules too. */
export function pluginPolicies(
  cni: Cni,
  nodes: readonly NodeFact[],
): { readonly sure: Policy; readonly possible: Policy; readonly open: readonly OpenAnswer[] } {
  const ways: readonly Way[] = [
    { direction: "ingress", name: "a node to its own pods", answer: cni.nodeToOwnPods },
    { direction: "egress", name: "a pod to its own node", answer: cni.podToOwnNode },
  ];
  const made = ways.map((way) => ({ way, rules: nodes.flatMap((node, at) => rulesOf(way, node, at)) }));
  const policyOf = (isPart: (way: Way) => boolean): Policy => {
    const of = (direction: Direction): readonly Rule[] =>
      made.flatMap(({ way, rules }) => (way.direction === direction && isPart(way) ? rules : []));
    return policyWith(cni, { ingress: of("ingress"), egress: of("egress") });
  };
  const sure = policyOf(({ answer }) => !isOpen(answer));
  const open = made.flatMap(({ way: { answer }, rules }) =>
    isOpen(answer)
      ? rules.map((rule) => ({
          policy: sure,
          rule,
          actions: actionsOf(answer),
          text: sourceText(cni, answer),
        }))
      : [],
  );
  return { sure, possible: open.length === 0 ? sure : policyOf(() => true), open };
}

function policyWith({ name }: Cni, rules: Policy["rules"]): Policy {
  const ref = { ...pluginKind, namespace: null, name };
  return {
    ...{ key: policyKey(ref), ref, ownerType: pluginKind.kind, shortKind: pluginKind.kind },
    ...{ tier: { name: "network plugin", order: Number.NEGATIVE_INFINITY }, priority: 0 },
    logging: { allow: null, deny: null, pass: null, reject: null },
    ...{ subject: [], rules, unmatched: { ingress: "next", egress: "next" } },
  };
}

/** None where the policies decide, and of a node without an address. */
function rulesOf({ name, answer }: Way, node: NodeFact, index: number): readonly Rule[] {
  const [action] = actionsOf(answer);
  const networks = [...new Set(addressesOfNode(node).map(aloneIn))].sort();
  if (action === undefined || networks.length === 0) return [];
  return [
    {
      ...{ index, name, action, share: null, ports: null, logging: null },
      subject: [{ kind: "podsOfNode", node: node.name }],
      peers: networks.map((cidr) => ({ kind: "network", cidr, except: [] })),
    },
  ];
}
