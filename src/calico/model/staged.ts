// Staged policies: what is in force says nothing of them. A plan asks what it would be like if they were.

import type { ObjectKind, PolicyObject, ReferencedObject } from "../../model/object.ts";
import { apiVersionOf, objectKey } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { Staging, StagedEffect } from "../../policy/contracts/policy-model.ts";
import {
  globalKind,
  policyKind,
  stagedGlobalKind,
  stagedKubernetesKind,
  stagedPolicyKind,
} from "../kinds.ts";

const kubernetesKind: ObjectKind = {
  ...{ group: "networking.k8s.io", version: "v1", kind: "NetworkPolicy" },
  ...{ resource: "networkpolicies", namespaced: true },
};

/** By the name of the staged kind, the kind that it is about. */
const enforcedKinds: ReadonlyMap<string, ObjectKind> = new Map<string, ObjectKind>([
  [stagedPolicyKind.kind, policyKind],
  [stagedGlobalKind.kind, globalKind],
  [stagedKubernetesKind.kind, kubernetesKind],
]);

export const staging: Staging = {
  kinds: [stagedPolicyKind, stagedGlobalKind, stagedKubernetesKind],
  effectOf,
};

function effectOf(object: ReferencedObject): StagedEffect {
  const kind = enforcedKinds.get(object.kind);
  if (kind === undefined) return { kind: "none", problems: [] };
  const problems = new Problems();
  const spec = new Field(problems, "spec", object.spec);
  const action = spec.at("stagedAction");
  switch (action.present ? action.raw : "Set") {
    case "":
    case "Set":
      return { kind: "set", policy: enforced(object, kind, spec) };
    case "Delete":
      return { kind: "delete", key: objectKey(kind, object.namespace, object.name) };
    case "Learn":
    case "Ignore":
      return { kind: "none", problems: [] };
    default:
      action.error(`must be Set, Delete, Learn or Ignore, not ${action.quoted}`);
      return { kind: "none", problems: problems.list() };
  }
}

/** Of the kind, with what else the spec says. One that is no object stays: who compiles it reports it. */
function enforced(object: ReferencedObject, kind: ObjectKind, spec: Field): PolicyObject {
  const names = spec.names().filter((name) => name !== "stagedAction");
  const { namespace, name, uid, generation, annotations } = object;
  return {
    ...{ kind: kind.kind, apiVersion: apiVersionOf(kind), namespace, name, uid, generation, annotations },
    spec: spec.isObject ? Object.fromEntries(names.map((one) => [one, spec.at(one).raw])) : spec.raw,
  };
}
