// Policies of kinds that Northgate does not read, found among manifests or by a cluster's discovery. What a cluster does not
// allow is reported in a sentence; nothing here is an error.

import type { NotRead } from "../unknowns/foreign.ts";
import { notReadOf } from "../unknowns/foreign.ts";
import { foreignGroups, foreignKindOf, foreignVersion } from "../unknowns/foreign-kinds.ts";
import type { Keeps } from "../informers/index.ts";
import type { KubeApi } from "../kube/index.ts";
import { listOthers } from "../kube/index.ts";
import type { ObjectKind } from "../model/object.ts";

/** Which objects are kept of manifests. `policies`: the kinds of policy that are read. */
export function foreignAmong(policies: readonly ObjectKind[]): Keeps {
  return (kind, apiVersion) => foreignKindOf(kind, apiVersion, policies) !== null;
}

export async function foreignIn(api: KubeApi, policies: readonly ObjectKind[]): Promise<NotRead> {
  const { values, failures } = await listOthers(api, {
    groups: foreignGroups(policies),
    versionOf: (kind, versions) => foreignVersion(kind, versions, policies),
  });
  const found = values.map((value) => ({ value, place: null }));
  return notReadOf(found, failures, policies);
}
