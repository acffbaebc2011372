// The names of the objects of one kind, of one namespace where the kind has them: for completion, which needs no more and may not
// wait. Refuses nothing: an object without a name is passed over.

import { readLabels } from "../../../informers/objects/object.ts";
import { readOwner } from "../../../informers/objects/pod.ts";
import type { Owner } from "../../../model/facts.ts";
import type { ObjectKind } from "../../../model/object.ts";
import { Field, Problems } from "../../../model/reader.ts";
import { ownersOf } from "../../../model/workload.ts";
import type { KubeApi } from "../../transport/api.ts";
import { collectionPath, namespacePath } from "../../transport/paths.ts";
import { defaultTiming } from "../../transport/timing.ts";
import { list } from "../list.ts";

export interface ListedName {
  readonly name: string;
  /** What has made it, the nearest first. */
  readonly owners: readonly Owner[];
}

type Located = Pick<ObjectKind, "group" | "version" | "resource">;

/** `namespace` null: of a kind without namespaces. Throws a Failure when they cannot be listed, and when the signal is aborted. */
export async function listNames(
  api: KubeApi,
  kind: Located,
  namespace: string | null,
  signal: AbortSignal,
): Promise<readonly ListedName[]> {
  const found: ListedName[] = [];
  await list({
    ...{ api, signal, pageSize: defaultTiming.pageSize, asked: () => undefined },
    path: namespace === null ? collectionPath(kind) : namespacePath(kind, namespace),
    absorb: (item) => {
      const root = new Field(new Problems(), "", item);
      const name = root.at("metadata").at("name").raw;
      if (typeof name !== "string") return;
      const owner = readOwner(root);
      const labels = readLabels(root) ?? new Map<string, string>();
      found.push({ name, owners: owner === null ? [] : ownersOf({ owner, labels }) });
    },
  });
  return found;
}
