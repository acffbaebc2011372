// Where objects are on the API server.

import type { ObjectKind } from "../../model/object.ts";
import { apiVersionOf } from "../../model/object.ts";

type Located = Pick<ObjectKind, "group" | "version" | "resource">;

/** Every object of the kind, over all namespaces. */
export function collectionPath(kind: Located): string {
  return `${groupPath(kind)}/${kind.resource}`;
}

/** Those of one namespace. */
export function namespacePath(kind: Located, namespace: string): string {
  return `${groupPath(kind)}/namespaces/${encodeURIComponent(namespace)}/${kind.resource}`;
}

export function objectPath(kind: Located, namespace: string | null, name: string): string {
  const scope = namespace === null ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${groupPath(kind)}${scope}/${kind.resource}/${encodeURIComponent(name)}`;
}

/** What the server serves of the kind's group and version. The core group has a place of its own. */
export function groupPath(kind: Pick<ObjectKind, "group" | "version">): string {
  return `${kind.group === "" ? "/api" : "/apis"}/${apiVersionOf(kind)}`;
}
