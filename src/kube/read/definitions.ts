// Whether a kind that a CRD defines stays, or is deleted with all of its objects: the CRD itself says so, which is marked before
// the first of its objects is deleted; where it does not, discovery does, which learns it a little later. Throws a Failure
// where there is no answer.

import type { ObjectKind } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOfAnswer } from "../transport/failure.ts";
import { groupPath, objectPath } from "../transport/paths.ts";

const crds = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };

/** Groups whose kinds the API server serves by itself (k8s.io/api): no CRD can take them along. */
const builtIn: ReadonlySet<string> = new Set(["", "discovery.k8s.io", "networking.k8s.io"]);

/** Whether the kind may go while the server runs. */
export function isOfCrd({ group }: Pick<ObjectKind, "group">): boolean {
  return !builtIn.has(group);
}

/**
 * Whether the CRD is there and not being deleted: its deletionTimestamp is stored before the controller that deletes its
 * objects sees it (apiextensions-apiserver, crd_finalizer.go), and a GET reads what is stored. Null: it does not say, as we
 * may not read it, or it is not there.
 */
export async function isDefinedForGood(
  api: KubeApi,
  { resource, group }: Pick<ObjectKind, "resource" | "group">,
  signal: AbortSignal,
): Promise<boolean | null> {
  const path = objectPath(crds, null, `${resource}.${group}`);
  const response = await api.request({ method: "GET", path, signal });
  if (response.status === 403 || response.status === 404) return null;
  if (response.status !== 200) throw failureOfAnswer(response);
  return !new Field(new Problems(), "", response.body).at("metadata").at("deletionTimestamp").present;
}

/**
 * Whether objects of the kind can be created, by the discovery document of its group: while a CRD is being deleted, the
 * server offers no `create` (apiextensions-apiserver, customresource_discovery_controller.go). Every authenticated user
 * may read it; without that permission, deletions are believed.
 */
export async function isServedForGood(
  api: KubeApi,
  kind: ObjectKind,
  signal: AbortSignal,
): Promise<boolean | null> {
  const response = await api.request({ method: "GET", path: groupPath(kind), signal });
  if (response.status === 404) return false;
  if (response.status === 403) return true;
  if (response.status !== 200) throw failureOfAnswer(response);
  const resources = new Field(new Problems(), "", response.body).at("resources").items();
  const served = [...resources].find((resource) => resource.at("name").raw === kind.resource);
  const verbs = served?.at("verbs").raw;
  return Array.isArray(verbs) && verbs.includes("create");
}
