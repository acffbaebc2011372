// Creates, replaces and deletes objects by the thousand, many requests at once. Refuses a kind it has no path for. An
// object's status is written by a second request, as a kubelet would. Rejects with the first refusal, after the
// requests under way have ended.

import type { ApiClient, KubernetesObject } from "./api.ts";

const plurals: ReadonlyMap<string, string> = new Map([
  ["v1/Namespace", "/api/v1/namespaces"],
  ["v1/Node", "/api/v1/nodes"],
  ["v1/Pod", "/api/v1/namespaces/{}/pods"],
  ["v1/ServiceAccount", "/api/v1/namespaces/{}/serviceaccounts"],
  [
    "policy.networking.k8s.io/v1alpha1/AdminNetworkPolicy",
    "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies",
  ],
  [
    "policy.networking.k8s.io/v1alpha1/BaselineAdminNetworkPolicy",
    "/apis/policy.networking.k8s.io/v1alpha1/baselineadminnetworkpolicies",
  ],
  [
    "policy.networking.k8s.io/v1alpha2/ClusterNetworkPolicy",
    "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies",
  ],
]);

/** Where objects of its kind are listed and created. */
export function collectionOf(object: KubernetesObject): string {
  const path = plurals.get(`${object.apiVersion}/${object.kind}`);
  if (path === undefined) throw new Error(`no path known for ${object.apiVersion} ${object.kind}`);
  return path.replace("{}", object.metadata.namespace ?? "default");
}

export function pathOf(object: KubernetesObject): string {
  return `${collectionOf(object)}/${object.metadata.name}`;
}

/** The object as stored, its status too if it has one. */
export async function create(api: ApiClient, object: KubernetesObject): Promise<KubernetesObject> {
  const stored = await api.object("POST", collectionOf(object), { body: object });
  return object.status === undefined ? stored : putStatus(api, stored, object.status);
}

/** Writes the status of a stored object. */
export function putStatus(
  api: ApiClient,
  stored: KubernetesObject,
  status: unknown,
): Promise<KubernetesObject> {
  return api.object("PUT", `${pathOf(stored)}/status`, { body: { ...stored, status } });
}

/** Changes some fields: a JSON merge patch. */
export function patch(api: ApiClient, object: KubernetesObject, change: unknown): Promise<KubernetesObject> {
  return api.object("PATCH", pathOf(object), { body: change, type: "application/merge-patch+json" });
}

/** A pod is gone at once: no kubelet will confirm it. */
export async function remove(api: ApiClient, object: KubernetesObject): Promise<void> {
  await api.text("DELETE", pathOf(object), { body: { gracePeriodSeconds: 0 } });
  if (object.kind === "Namespace") await finalize(api, object.metadata.name);
}

/** In no order: what others need, such as namespaces, must be there before. */
export function createAll(
  api: ApiClient,
  objects: Iterable<KubernetesObject>,
  inFlight = 50,
): Promise<readonly KubernetesObject[]> {
  return each(objects, inFlight, (object) => create(api, object));
}

export async function removeAll(
  api: ApiClient,
  objects: Iterable<KubernetesObject>,
  inFlight = 50,
): Promise<void> {
  await each(objects, inFlight, (object) => remove(api, object));
}

/** Does what the namespace controller does, less deleting what is in the namespace. */
async function finalize(api: ApiClient, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  const stored = await api.object("GET", path);
  await api.text("PUT", `${path}/finalize`, { body: { ...stored, spec: { finalizers: [] } } });
}

/** The results, in the order of the items. */
export async function each<T, R>(
  items: Iterable<T>,
  inFlight: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = [...items].entries();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const [place, item] of queue) {
      if (failures.length > 0) return;
      try {
        results[place] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
