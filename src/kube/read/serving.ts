// Whether and how the API server serves the objects of a kind, by discovery and by the kind's CRD.

import type { ObjectKind } from "../../model/object.ts";
import { apiVersionOf, askedKinds } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOfAnswer } from "../transport/failure.ts";
import { groupPath } from "../transport/paths.ts";
import { isDefinedForGood, isOfCrd } from "./definitions.ts";

/**
 * - `served`: under this group and version
 * - `leaving`: the same, and its CRD is being deleted, with all of its objects
 * - `otherVersion`: its group is served in these versions, and not in one that is read
 * - `missing`: its group is not served, or has no such resource
 */
export type Serving =
  | { readonly is: "served" | "leaving"; readonly as: ObjectKind }
  | { readonly is: "otherVersion"; readonly served: readonly string[] }
  | { readonly is: "missing" };

/** Throws a Failure when the server does not say. */
export async function servingOf(api: KubeApi, kind: ObjectKind): Promise<Serving> {
  const { signal } = new AbortController();
  for (const as of askedKinds(kind))
    if (await hasResource(api, groupPath(as), kind.resource)) {
      const isStaying = !isOfCrd(as) || (await isDefinedForGood(api, as, signal)) !== false;
      return { is: isStaying ? "served" : "leaving", as };
    }
  const others = await Promise.all(askedKinds(kind).map((as) => otherVersions(api, as)));
  const served = others.flat();
  return served.length === 0 ? { is: "missing" } : { is: "otherVersion", served };
}

async function hasResource(api: KubeApi, path: string, resource: string): Promise<boolean> {
  const body = await found(api, path);
  return body !== null && [...body.at("resources").items()].some((one) => one.at("name").raw === resource);
}

/** The versions of the kind's group that have its resource, beside its own. */
async function otherVersions(api: KubeApi, kind: ObjectKind): Promise<readonly string[]> {
  if (kind.group === "") return [];
  const body = await found(api, `/apis/${kind.group}`);
  const versions = [...(body?.at("versions").items() ?? [])].flatMap((one) => {
    const { raw } = one.at("version");
    return typeof raw === "string" && raw !== kind.version ? [{ ...kind, version: raw }] : [];
  });
  const has = await Promise.all(versions.map((one) => hasResource(api, groupPath(one), kind.resource)));
  return versions.filter((_, at) => has[at]).map(apiVersionOf);
}

/** null: the server has nothing there. */
async function found(api: KubeApi, path: string): Promise<Field | null> {
  const response = await api.request({ method: "GET", path });
  if (response.status === 404) return null;
  if (response.status !== 200) throw failureOfAnswer(response);
  return new Field(new Problems(), "", response.body);
}
