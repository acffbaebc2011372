// What AdminNetworkPolicy and BaselineAdminNetworkPolicy share: nearly everything. A kind is described by the few things
// in which it differs. Any error rejects the object whole; a pure function that never throws on user input.

import type { Compiled, Dialect, PolicyKindTraits } from "../policy/dialect.ts";
import { policyKey } from "../policy/ir.ts";
import type { Subject, Tier } from "../policy/ir.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { readLogging } from "../kubernetes/logging.ts";
import { warnOfOthers } from "../kubernetes/shape.ts";
import { fieldOf } from "./fields.ts";
import { readSubject } from "./peers.ts";
import type { Actions } from "./rules.ts";
import { readRules } from "./rules.ts";
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
    // OVN-Kubernetes owns its rows by the kind's name, and so do the rows that are there already.
    ownerType: kind,
    metrics,
    events: eventsOf(shortKind),
    conditions,
  };
  return { kinds: [only], references: [], fieldOf, compile: (object) => compile(object, only, traits) };
}

function compile(object: PolicyObject, kind: PolicyKindTraits, traits: KindTraits): Compiled {
  const problems = new Problems();
  traits.checkName(new Field(problems, "metadata.name", object.name));
  const content = readSpec(new Field(problems, "spec", object.spec), traits);
  const logging = readLogging(object, problems);
  if (content === null || problems.failed) return { policy: null, problems: problems.list() };
  const ref = { group: kind.group, kind: kind.kind, namespace: null, name: object.name };
  const policy = {
    key: policyKey(ref),
    ref,
    ownerType: kind.ownerType,
    shortKind: kind.shortKind,
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

function readSpec(spec: Field, traits: KindTraits) {
  if (!spec.object()) return null;
  warnOfOthers(spec, ["subject", "ingress", "egress", ...traits.fields]);
  const priority = traits.readPriority(spec);
  const subject = readUnion(spec.at("subject"));
  const ingress = readRules(spec.at("ingress"), "ingress", traits.actions);
  const egress = readRules(spec.at("egress"), "egress", traits.actions);
  if (priority === null || subject === null || ingress === null || egress === null) return null;
  return { priority, subject, rules: { ingress, egress } };
}
