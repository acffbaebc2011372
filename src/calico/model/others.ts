// The other kinds of policy in this model: ClusterNetworkPolicy and NetworkPolicy have a place among the tiers, and the two kinds
// of v1alpha1, whose places would lie between those, are refused. Kinds of any other group are not read.

import type { PolicyObject } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { Compiled, Dialect, PolicyKindTraits } from "../../policy/contracts/dialect.ts";
import { kindInHead } from "../../policy/contracts/dialect.ts";
import type { Policy, PolicyHead, Tier } from "../../policy/ir.ts";
import { policyKey } from "../../policy/ir.ts";
import { tieText } from "../place/tie.ts";
import { defaultTier, kubeAdmin, kubeBaseline, orderOfNetworkPolicies } from "../place/tier.ts";

type Place = Pick<PolicyHead, "tier" | "priority">;

/** null: its kinds are not read. */
export function adapted(dialect: Dialect): Dialect | null {
  const [kind] = dialect.kinds;
  switch (kind === undefined ? "" : `${kind.kind}.${kind.group}`) {
    case "NetworkPolicy.networking.k8s.io":
      return placed(dialect, "KubernetesNetworkPolicy", () => ({
        ...{ tier: defaultTier, priority: orderOfNetworkPolicies },
      }));
    case "ClusterNetworkPolicy.policy.networking.k8s.io":
      return placed(dialect, "KubernetesClusterNetworkPolicy", placeOfClusterPolicy);
    case "AdminNetworkPolicy.policy.networking.k8s.io":
    case "BaselineAdminNetworkPolicy.policy.networking.k8s.io":
      return refusing(dialect);
    default:
      return null;
  }
}

/** Its tier and priority are understood already. */
function placeOfClusterPolicy({ spec }: PolicyObject): Place {
  const field = new Field(new Problems(), "spec", spec);
  const priority = Number(field.at("priority").raw);
  const tier: Tier = field.at("tier").raw === "Admin" ? kubeAdmin : kubeBaseline;
  return { tier, priority };
}

/** The kind as it is in this model: a text decides between policies of one order. */
function inModel(kind: PolicyKindTraits): PolicyKindTraits {
  return {
    ...kind,
    ...{ closesRules: true, nodesReachOwnPods: "beforeTiers" },
    events: { ...kind.events, samePriority: null },
  };
}

/** `tieKind`: as Calico calls the kind. */
function placed(dialect: Dialect, tieKind: string, placeOf: (object: PolicyObject) => Place): Dialect {
  const kinds = dialect.kinds.map(inModel);
  const moved = (policy: Policy, object: PolicyObject): Policy => ({
    ...{ ...policy, ...placeOf(object) },
    tie: tieText(policy.ref, tieKind),
  });
  return {
    ...dialect,
    kinds,
    compile(object, resolve, loggingOf): Compiled {
      const { policy, outline, problems } = dialect.compile(object, resolve, loggingOf);
      return {
        problems,
        policy: policy && moved(policy, object),
        ...(outline && { outline: moved(outline, object) }),
      };
    },
  };
}

/** Its objects say nothing in this model: what they had leaves. */
function refusing(dialect: Dialect): Dialect {
  return {
    ...dialect,
    kinds: dialect.kinds.map(inModel),
    references: [],
    compile: (object) => refused(object, dialect),
  };
}

const noLogging = { allow: null, deny: null, pass: null, reject: null };

function refused(object: PolicyObject, { kinds }: Dialect): Compiled {
  const problems = new Problems();
  const root = new Field(problems, "spec", object.spec);
  root.error(
    "is not enforced beside Calico's tiers; `northgate migrate` makes a ClusterNetworkPolicy of it",
    "Unsupported",
  );
  const [kind] = kinds;
  if (kind === undefined) return { policy: null, problems: problems.list() };
  const ref = { group: kind.group, kind: kind.kind, namespace: null, name: object.name };
  const policy: Policy = {
    ...{ key: policyKey(ref), ref, ...kindInHead(inModel(kind)), tier: kubeAdmin, priority: 0 },
    ...{ tie: tieText(ref, kind.kind), subject: [], rules: { ingress: [], egress: [] } },
    ...{ unmatched: { ingress: "next", egress: "next" }, logging: noLogging, isInert: true },
  };
  return { policy, problems: problems.list() };
}
