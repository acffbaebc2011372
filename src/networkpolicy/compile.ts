// NetworkPolicy → IR. A policy isolates the pods that it selects, in the directions of its policyTypes, and its rules allow. What
// several policies allow adds up. Any error rejects the whole object; a rule that is not understood allows nothing, and a problem
// says so.

import { readNamespaceLogging } from "../kubernetes/logging.ts";
import { readSelector } from "../kubernetes/selector.ts";
import { warnOfOthers } from "../kubernetes/shape.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { namespacesNamed } from "../model/selectable.ts";
import type { Selector } from "../model/selector.ts";
import { everything } from "../model/selector.ts";
import type { Compiled, Dialect, NamespaceLogging } from "../policy/contracts/dialect.ts";
import { kindInHead } from "../policy/contracts/dialect.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { directions, policyKey, tiers } from "../policy/ir.ts";
import { fieldOf } from "./fields.ts";
import { kind } from "./kinds.ts";
import { readPolicyTypes } from "./policy-types.ts";
import { readRules } from "./rules.ts";
import { readStateless } from "./stateless.ts";

/** `stateless`: whether the annotation is obeyed by which a policy's rules follow no connections. */
export function networkPolicyDialect({ stateless }: { readonly stateless: boolean }): Dialect {
  return {
    kinds: [kind],
    references: [],
    compile: (object, _, loggingOf) => compile(object, stateless, loggingOf),
    fieldOf,
  };
}

function compile(
  object: PolicyObject,
  obeysStateless: boolean,
  loggingOf: NamespaceLogging = () => null,
): Compiled {
  const problems = new Problems();
  const namespace = object.namespace ?? "default";
  const ref = { group: kind.group, kind: kind.kind, namespace, name: object.name };
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
