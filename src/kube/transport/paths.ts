// Where objects are on the API server.

import type { PolicyKind } from "../../model/object.ts";

type Located = Pick<PolicyKind, "apiVersion" | "resource">;

/** Every object of the kind, over all namespaces. */
export function collectionPath({ apiVersion, resource }: Located): string {
  return `${groupPath(apiVersion)}/${resource}`;
}

export function objectPath(
  { apiVersion, resource }: Located,
  namespace: string | null,
  name: string,
): string {
  const scope = namespace === null ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${groupPath(apiVersion)}${scope}/${resource}/${encodeURIComponent(name)}`;
}

/** The core group has a place of its own. */
function groupPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
