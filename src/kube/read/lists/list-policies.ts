// Lists the policy objects of a cluster once, for commands that do not watch.

import type { ObjectKind, PolicyObject } from "../../../model/object.ts";
import { parsePolicyObject } from "../../../informers/objects/object.ts";
import type { KubeApi } from "../../transport/api.ts";
import { list } from "../list.ts";
import { collectionPath } from "../../transport/paths.ts";
import { asServed } from "../served-as.ts";

export interface ListedPolicy {
  readonly object: PolicyObject;
  readonly resource: ObjectKind;
}

const pageSize = 500;

/** Throws when a kind cannot be listed. */
export async function listPolicies(
  api: KubeApi,
  kinds: readonly ObjectKind[],
): Promise<readonly ListedPolicy[]> {
  const found: ListedPolicy[] = [];
  for (const kind of kinds) {
    await asServed(kind, (as) =>
      list({
        ...{ api, path: collectionPath(as), pageSize, signal: new AbortController().signal },
        asked: () => undefined,
        absorb: (item) => {
          const { object } = parsePolicyObject(item, kind, as);
          if (object !== null) found.push({ object, resource: kind });
        },
      }),
    );
  }
  return found;
}
