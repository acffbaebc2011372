// The rights at the API server that a run needs, by its kinds of policy: the manifests give these, and no others.

import { isOfCrd } from "../kube/index.ts";
import type { AskedRight } from "../kube/index.ts";
import type { ObjectKind } from "../model/object.ts";
import type { PolicyKindTraits, ReferenceKind } from "../policy/contracts/dialect.ts";

/** What a right is for: reading what policies are about, or reporting on them. */
export interface NeededRight extends AskedRight {
  readonly use: "read" | "report" | "review";
}

export interface KindsInUse {
  readonly policies: readonly PolicyKindTraits[];
  readonly references: readonly ReferenceKind[];
}

/** The groups in which a kind is read; one that the server does not serve yet is asked for too. */
type AskedAs = (kind: ObjectKind) => readonly ObjectKind[];

const none = { subresource: null, name: null, namespace: null } as const;

/** Of what every run reads. */
export function rightsOfFacts(): readonly NeededRight[] {
  return ["namespaces", "nodes", "pods"].flatMap((resource) => reading({ group: "", resource }));
}

/** Of the policies and of what they refer to. */
export function rightsOfKinds({ policies, references }: KindsInUse, as: AskedAs): readonly NeededRight[] {
  const kinds = [...policies, ...references].flatMap(as);
  const reported = [
    ...policies.filter(({ conditions }) => conditions !== null),
    ...references.filter(({ status }) => status !== undefined && status.type !== null),
  ].flatMap(as);
  return [
    ...kinds.flatMap(reading),
    ...kinds.filter(isOfCrd).map(({ group, resource }) => ({
      ...none,
      ...{ use: "read" as const, verb: "get", group: "apiextensions.k8s.io" },
      ...{ resource: "customresourcedefinitions", name: `${resource}.${group}` },
    })),
    ...reported.map(({ group, resource }) => ({
      ...{ ...none, use: "report" as const, verb: "patch", group, resource, subresource: "status" },
    })),
  ];
}

/** Events of cluster-wide policies are in the namespace `default`, those of others in the policy's own. */
export function rightsOfEvents({ policies }: Pick<KindsInUse, "policies">): readonly NeededRight[] {
  const isEverywhere = policies.some(({ namespaced }) => namespaced);
  const events = { ...none, use: "report" as const, verb: "create", group: "", resource: "events" };
  return policies.length === 0 ? [] : [{ ...events, namespace: isEverywhere ? null : "default" }];
}

/** Of a server of metrics whose readers show tokens. */
export function rightsOfReviews(): readonly NeededRight[] {
  return [
    ["authentication.k8s.io", "tokenreviews"] as const,
    ["authorization.k8s.io", "subjectaccessreviews"] as const,
  ].map(([group, resource]) => ({ ...none, use: "review", verb: "create", group, resource }));
}

function reading({ group, resource }: Pick<ObjectKind, "group" | "resource">): readonly NeededRight[] {
  return ["list", "watch"].map((verb) => ({ ...none, use: "read", verb, group, resource }));
}
