// Whether the API server lets somebody do something: us (SelfSubjectAccessReview), or a service account (SubjectAccessReview).

import type { KubeApi } from "../transport/api.ts";
import { review } from "./review.ts";

/** A verb on a resource. */
export interface AskedRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** null: the resource itself. */
  readonly subresource: string | null;
  /** null: every object. */
  readonly name: string | null;
  /** null: every namespace, or a resource without namespaces. */
  readonly namespace: string | null;
}

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** `account` null: whoever the credentials are of. Throws a Failure when the server does not say. */
export async function mayDo(
  api: KubeApi,
  { verb, group, resource, subresource, name, namespace }: AskedRight,
  account: ServiceAccount | null,
): Promise<boolean> {
  const attributes = { verb, group, resource, subresource, name, namespace };
  const resourceAttributes = Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== null),
  );
  const [kind, subject] =
    account === null
      ? (["SelfSubjectAccessReview", {}] as const)
      : (["SubjectAccessReview", subjectOf(account)] as const);
  const status = await review(api, "authorization.k8s.io", kind, { ...subject, resourceAttributes });
  return status.at("allowed").raw === true;
}

/** As the API server knows it (k8s.io/apiserver, pkg/authentication/serviceaccount/util.go). */
function subjectOf({ namespace, name }: ServiceAccount): object {
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}
