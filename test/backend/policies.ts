// Policies of the IR in few words, of a kind of no dialect. The only place of this folder that makes a policy's identity.

import type { ObjectKind } from "../../src/model/object.ts";
import type { Direction, Policy, Rule } from "../../src/policy/ir.ts";
import { policyKey, tiers } from "../../src/policy/ir.ts";
import { everything } from "../../src/model/selector.ts";

/** The kind of the policies of this folder that are in no namespace, and what owns their rows in the Northbound database. */
export const contractKind = "ContractPolicy";
const contractGroup = "contract.test";

const namespacedKind = "NamespacedContractPolicy";

/** The kinds behind their owner types: names of the rows of namespaced policies are read otherwise. */
export const contractOwners: ReadonlyMap<string, ObjectKind> = new Map(
  [contractKind, namespacedKind].map((kind) => {
    const resource = kind.toLowerCase();
    return [
      kind,
      { group: contractGroup, version: "v1", kind, resource, namespaced: kind === namespacedKind },
    ];
  }),
);

export interface PolicyText extends Partial<
  Pick<Policy, "tier" | "priority" | "tie" | "subject" | "unmatched" | "logging" | "stateless">
> {
  readonly name: string;
  readonly namespace?: string | null;
  readonly rules?: Partial<Readonly<Record<Direction, readonly Rule[]>>>;
}

/** Everything not named has the plainest value: all pods, no rules, the admin tier. */
export function contractPolicy({ name, namespace = null, rules = {}, ...text }: PolicyText): Policy {
  const kind = namespace === null ? contractKind : namespacedKind;
  const ref = { group: contractGroup, kind, namespace, name };
  return {
    ...{
      key: policyKey(ref),
      ref,
      ownerType: kind,
      shortKind: "CP",
      tier: tiers.admin,
      priority: 10,
    },
    subject: [{ kind: "pods", namespaces: everything, pods: everything }],
    unmatched: { ingress: "next", egress: "next" },
    logging: { allow: null, deny: null, pass: null, reject: null },
    ...text,
    rules: { ingress: rules.ingress ?? [], egress: rules.egress ?? [] },
  };
}

/** Rules by place; all pods, any port. */
export function rulesOf(...rules: readonly Partial<Omit<Rule, "index">>[]): readonly Rule[] {
  return rules.map((rule, index) => ({
    ...{ name: "", action: "deny", share: null, subject: null, ports: null, logging: null },
    peers: [{ kind: "pods", namespaces: everything, pods: everything }],
    ...rule,
    index,
  }));
}
