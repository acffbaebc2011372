// What AdminNetworkPolicy and BaselineAdminNetworkPolicy share: nearly everything. A kind is described by the few things
// in which it differs. Any error rejects the object whole; a pure function that never throws on user input.

import type { Compiled, Dialect } from "../policy/dialect.ts";
import { policyKey } from "../policy/ir.ts";
import type { Tier } from "../policy/ir.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { readLogging } from "./logging.ts";
import { readSubject } from "./peers.ts";
import type { Actions } from "./rules.ts";
import { readRules } from "./rules.ts";
import { warnOfOthers } from "./shape.ts";

export interface Difference {
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

export function dialect(difference: Difference): Dialect {
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: difference.kind,
    resource: difference.resource,
    namespaced: false,
    compile: (object) => compile(object, difference),
  };
}

function compile(object: PolicyObject, difference: Difference): Compiled {
  const problems = new Problems();
  difference.checkName(new Field(problems, "metadata.name", object.name));
  const content = readSpec(new Field(problems, "spec", object.spec), difference);
  const logging = readLogging(object, problems);
  if (content === null || problems.failed) return { policy: null, problems: problems.list() };
  const ref = { kind: difference.kind, namespace: null, name: object.name };
  const policy = {
    key: policyKey(ref),
    ref,
    shortKind: difference.shortKind,
    tier: difference.tier,
    ...content,
    unmatched: { ingress: "next", egress: "next" },
    logging,
  } as const;
  return { policy, problems: problems.list() };
}

function readSpec(spec: Field, difference: Difference) {
  if (!spec.object()) return null;
  warnOfOthers(spec, ["subject", "ingress", "egress", ...difference.fields]);
  const priority = difference.readPriority(spec);
  const subject = readSubject(spec.at("subject"));
  const ingress = readRules(spec.at("ingress"), "ingress", difference.actions);
  const egress = readRules(spec.at("egress"), "egress", difference.actions);
  if (priority === null || subject === null || ingress === null || egress === null) return null;
  return { priority, subject, rules: { ingress, egress } };
}
