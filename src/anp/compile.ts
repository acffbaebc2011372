// What AdminNetworkPolicy and BaselineAdminNetworkPolicy share: nearly everything. Each kind is described by its few
// differences. Any error rejects the whole object; a pure function that never throws on user input.

import type { Compiled, Dialect, PolicyKindTraits } from "../policy/dialect.ts";
import { policyKey } from "../policy/ir.ts";
import type { Policy, Rule, Subject, Tier } from "../policy/ir.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { readLogging } from "../kubernetes/logging.ts";
import { warnOfOthers } from "../kubernetes/shape.ts";
import { fieldOf } from "./fields.ts";
import { readSubject } from "./peers.ts";
import type { Actions } from "./rules.ts";
import { RuleReader } from "./rules.ts";
import { conditions, eventsOf } from "./words.ts";

export interface KindTraits extends Pick<PolicyKindTraits, "kind" | "shortKind" | "resource" | "metrics"> {
  readonly tier: Tier;
  readonly actions: Actions;
  /** Fields of the spec that only this kind has. */
  readonly fields: readonly string[];
  /** Reports a name that the kind does not allow. */
  readonly checkName: (name: Field) => void;
  readonly readPriority: (spec: Field) => number | null;
}

export function dialect(traits: KindTraits): Dialect {
  const { kind, shortKind, resource, metrics } = traits;
  const only: PolicyKindTraits = {
    group: "policy.networking.k8s.io",
    version: "v1alpha1",
    kind,
    resource,
    namespaced: false,
    shortKind,
    // OVN-Kubernetes uses the kind's name as owner type, and existing rows have it.
    ownerType: kind,
    metrics,
    events: eventsOf(shortKind),
    conditions,
  };
  const reader = new RuleReader(traits.actions);
  return {
    kinds: [only],
    references: [],
    fieldOf,
    compile: (object) => compile(object, only, traits, reader),
  };
}

function compile(
  object: PolicyObject,
  kind: PolicyKindTraits,
  traits: KindTraits,
  reader: RuleReader,
): Compiled {
  const problems = new Problems();
  traits.checkName(new Field(problems, "metadata.name", object.name));
  const { priority, subject, ingress, egress } = readSpec(
    new Field(problems, "spec", object.spec),
    traits,
    reader,
  );
  const logging = readLogging(object, problems);
  if (priority === null) return { policy: null, problems: problems.list() };
  const ref = { group: kind.group, kind: kind.kind, namespace: null, name: object.name };
  const outline: Policy = {
    key: policyKey(ref),
    ref,
    ownerType: kind.ownerType,
    shortKind: kind.shortKind,
    tier: traits.tier,
    priority,
    subject: subject ?? [],
    rules: { ingress: [], egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging,
  };
  if (subject === null || ingress === null || egress === null || problems.failed)
    return { policy: null, problems: problems.list(), outline };
  return { policy: { ...outline, rules: { ingress, egress } }, problems: problems.list() };
}

function readUnion(field: Field): Subject | null {
  const group = readSubject(field);
  return group && [group];
}

interface Spec {
  readonly priority: number | null;
  readonly subject: Subject | null;
  readonly ingress: readonly Rule[] | null;
  readonly egress: readonly Rule[] | null;
}

const nothing: Spec = { priority: null, subject: null, ingress: null, egress: null };

function readSpec(spec: Field, traits: KindTraits, reader: RuleReader): Spec {
  if (!spec.object()) return nothing;
  warnOfOthers(spec, ["subject", "ingress", "egress", ...traits.fields]);
  return {
    priority: traits.readPriority(spec),
    subject: readUnion(spec.at("subject")),
    ingress: reader.read(spec.at("ingress"), "ingress"),
    egress: reader.read(spec.at("egress"), "egress"),
  };
}
