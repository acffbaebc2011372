// The frontend of networking.k8s.io/v1 NetworkPolicy: a policy isolates the pods that it selects, in the directions of its
// policyTypes, and its rules allow. What several policies allow adds up. The other files of this folder are private.
// Any error rejects the whole object; a rule that is not understood allows nothing and says so.

import { eventWords } from "../kubernetes/events.ts";
import { readNamespaceLogging } from "../kubernetes/logging.ts";
import { readSelector } from "../kubernetes/selector.ts";
import { warnOfOthers } from "../kubernetes/shape.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { namespacesNamed } from "../model/selectable.ts";
import type { Selector } from "../model/selector.ts";
import { everything } from "../model/selector.ts";
import type { Compiled, Dialect, NamespaceLogging, PolicyKindTraits } from "../policy/dialect.ts";
import { kindInHead } from "../policy/dialect.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { directions, policyKey, tiers } from "../policy/ir.ts";
import { fieldOf } from "./fields.ts";
import { readPolicyTypes } from "./policy-types.ts";
import { readRules } from "./rules.ts";
import { readStateless } from "./stateless.ts";

const group = "networking.k8s.io";
const shortKind = "NP";

const kind: PolicyKindTraits = {
  group,
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  namespaced: true,
  besides: ["Ingress", "IngressClass", "IPAddress", "ServiceCIDR"],
  shortKind,
  // OVN-Kubernetes' rows have it too: a switch decides whose they are (docs/decisions/0030).
  ownerType: "NetworkPolicy",
  rowForm: { sets: "networkPolicy" },
  metrics: { prefix: "northgate", name: "network_policies" },
  // Its rules have no field for it: they all allow.
  actions: [["Allow", "allow"]],
  // Policies of this kind have no priority, so that none can be in conflict with another.
  events: { ...eventWords(shortKind), samePriority: null },
  // The API: traffic to and from the node of a pod is always allowed. Probes of the kubelet need it.
  nodesReachOwnPods: "namespaced",
  // The API has no status.
  conditions: null,
};

/** `stateless`: whether the annotation is obeyed by which a policy's rules follow no connections. */
export function networkPolicyDialect({ stateless }: { readonly stateless: boolean }): Dialect {
  return {
    kinds: [kind],
    references: [],
    compile: (object, _, loggingOf) => compile(object, stateless, loggingOf),
    fieldOf,
  };
}

export const networkPolicy = networkPolicyDialect({ stateless: false });

function compile(
  object: PolicyObject,
  obeysStateless: boolean,
  loggingOf: NamespaceLogging = () => null,
): Compiled {
  const problems = new Problems();
  const namespace = object.namespace ?? "default";
  const ref = { group, kind: kind.kind, namespace, name: object.name };
  const stateless = readStateless(object, obeysStateless, problems);
  const spec = readSpec(new Field(problems, "spec", object.spec), namespace);
  const podsOf = (pods: Selector): Policy["subject"] => [
    { kind: "pods", namespaces: namespacesNamed([namespace]), pods },
  ];
  const outline: Policy = {
    key: policyKey(ref),
    ref,
    ...kindInHead(kind),
    tier: tiers.namespaced,
    priority: 0,
    // Whatever else it says, it is about pods of its namespace.
    subject: podsOf(spec?.pods ?? everything),
    rules: { ingress: [], egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging: readNamespaceLogging(loggingOf(namespace), problems),
    ...(stateless ? { stateless } : {}),
  };
  if (spec === null || problems.failed) return { policy: null, problems: problems.list(), outline };
  const isolates = (direction: Direction) => spec.isolated.has(direction);
  const policy: Policy = {
    ...outline,
    subject: podsOf(spec.pods),
    rules: spec.rules,
    unmatched: {
      ingress: isolates("ingress") ? "deny" : "next",
      egress: isolates("egress") ? "deny" : "next",
    },
  };
  return { policy, problems: problems.list() };
}

interface Spec {
  readonly pods: Selector;
  readonly isolated: ReadonlySet<Direction>;
  readonly rules: Readonly<Record<Direction, readonly Rule[]>>;
}

function readSpec(spec: Field, namespace: string): Spec | null {
  if (!spec.object()) return null;
  warnOfOthers(spec, ["podSelector", "policyTypes", ...directions]);
  const selector = spec.at("podSelector");
  const pods = selector.present ? readSelector(selector) : everything;
  const isolated = readPolicyTypes(spec);
  const [ingress, egress] = directions.map((direction) =>
    readRules(spec.at(direction), direction, namespace),
  );
  if (pods === null || isolated === null || !ingress || !egress) return null;
  for (const direction of directions)
    if (!isolated.has(direction) && spec.at(direction).items().length > 0)
      spec.at(direction).warn("policyTypes does not name this direction, so these rules have no effect");
  // Rules of a direction that is not isolated would overrule the baseline tier: the API says that they do nothing.
  const rules = {
    ingress: isolated.has("ingress") ? ingress : [],
    egress: isolated.has("egress") ? egress : [],
  };
  return { pods, isolated, rules };
}
