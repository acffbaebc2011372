// What AdminNetworkPolicy and BaselineAdminNetworkPolicy share: nearly everything. A kind is described by the few things
// in which it differs. Any error rejects the object whole; a pure function that never throws on user input.

import type { Accepted, Compiled, Dialect } from "../policy/dialect.ts";
import { policyKey } from "../policy/ir.ts";
import type { Direction, Policy, Subject, Tier } from "../policy/ir.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import type { Earlier } from "./earlier.ts";
import { partOf, unchanged } from "./earlier.ts";
import { readLogging } from "./logging.ts";
import { readSubject } from "./peers.ts";
import type { Actions } from "./rules.ts";
import { readRules } from "./rules.ts";
import { warnOfOthers } from "./shape.ts";

export interface KindTraits {
  readonly kind: string;
  readonly shortKind: string;
  readonly resource: string;
  readonly tier: Tier;
  readonly actions: Actions;
  /** Fields of the spec that only this kind has. */
  readonly fields: readonly string[];
  /** Reports a name that the kind does not allow. */
  readonly checkName: (name: Field) => void;
  readonly readPriority: (spec: Field) => number | null;
}

export function dialect(traits: KindTraits): Dialect {
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: traits.kind,
    resource: traits.resource,
    namespaced: false,
    compile: (object, before = null) => compile(object, traits, before),
  };
}

function compile(object: PolicyObject, traits: KindTraits, before: Accepted | null): Compiled {
  const problems = new Problems();
  traits.checkName(new Field(problems, "metadata.name", object.name));
  const earlier = before && {
    field: new Field(new Problems(before.problems), "spec", before.object.spec),
    compiled: before.policy,
  };
  const content = readSpec(new Field(problems, "spec", object.spec), traits, earlier);
  const logging = readLogging(object, problems);
  if (content === null || problems.failed) return { policy: null, problems: problems.list() };
  const ref = { kind: traits.kind, namespace: null, name: object.name };
  const policy = {
    key: policyKey(ref),
    ref,
    shortKind: traits.shortKind,
    tier: traits.tier,
    ...content,
    unmatched: { ingress: "next", egress: "next" },
    logging,
  } as const;
  return { policy, problems: problems.list() };
}

function readUnion(field: Field): Subject | null {
  const group = readSubject(field);
  return group && [group];
}

function readSpec(spec: Field, traits: KindTraits, earlier: Earlier<Policy> | null) {
  if (!spec.object()) return null;
  warnOfOthers(spec, ["subject", "ingress", "egress", ...traits.fields]);
  const priority = traits.readPriority(spec);
  const subjectBefore = partOf(earlier, "subject", (policy) => policy.subject);
  const subject = unchanged(spec.at("subject"), subjectBefore) ?? readUnion(spec.at("subject"));
  const rulesOf = (direction: Direction) => {
    const before = partOf(earlier, direction, ({ rules }) => rules[direction]);
    return readRules(spec.at(direction), direction, traits.actions, before);
  };
  const ingress = rulesOf("ingress");
  const egress = rulesOf("egress");
  if (priority === null || subject === null || ingress === null || egress === null) return null;
  return { priority, subject, rules: { ingress, egress } };
}
