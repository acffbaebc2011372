// Lists objects of kinds that no parser knows, once: which kinds of some API groups the server serves is asked of its
// discovery, and the caller chooses among them. What may not be listed, or does not answer, is reported and is no failure: there is
// an answer without it, which says that it is without it.

import type { GroupKind, ObjectKind } from "../../../model/object.ts";
import { apiVersionOf, kindText } from "../../../model/object.ts";
import { Field, Problems } from "../../../model/reader.ts";
import type { KubeApi } from "../../transport/api.ts";
import { failureOf, failureOfAnswer } from "../../transport/failure.ts";
import { collectionPath, groupPath } from "../../transport/paths.ts";
import { list } from "../list.ts";

export interface KindsToFind {
  readonly groups: ReadonlySet<string>;
  /** The version in which to list objects of the kind, of those that are served, the preferred first; null: none. */
  readonly versionOf: (kind: GroupKind, versions: readonly string[]) => string | null;
}

export interface OtherObjects {
  /** As the server says them, each with its version and kind. */
  readonly values: readonly unknown[];
  /** What could not be asked, with the reason: one sentence each. */
  readonly failures: readonly string[];
}

const pageSize = 500;

/** Throws only what is no failure of a request. */
export async function listOthers(api: KubeApi, wanted: KindsToFind): Promise<OtherObjects> {
  const values: unknown[] = [];
  const failures: string[] = [];
  const asked = async (what: string, ask: () => Promise<void>): Promise<void> => {
    try {
      await ask();
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      failures.push(`${what} could not be listed: ${failure.message}`);
    }
  };
  await asked("the API groups of the cluster", async () => {
    for (const served of groupsIn(await get(api, "/apis"), wanted.groups))
      await asked(`the kinds of ${served.group}`, async () => {
        for (const kind of await kindsOf(api, served, wanted))
          await asked(`${kindText(kind)} objects`, () => listInto(values, api, kind));
      });
  });
  return { values, failures };
}

interface ServedGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
}

function groupsIn(root: Field, wanted: ReadonlySet<string>): readonly ServedGroup[] {
  return root
    .at("groups")
    .items()
    .map((group) => {
      const preferred = textAt(group.at("preferredVersion"), "version");
      const versions = group
        .at("versions")
        .items()
        .map((one) => textAt(one, "version"));
      return {
        group: textAt(group, "name"),
        versions: [...new Set([preferred, ...versions])].filter((version) => version !== ""),
      };
    })
    .filter(({ group }) => wanted.has(group));
}

/** The kinds to list, each in its version. */
async function kindsOf(
  api: KubeApi,
  { group, versions }: ServedGroup,
  { versionOf }: KindsToFind,
): Promise<readonly ObjectKind[]> {
  const found: ObjectKind[] = [];
  for (const version of versions) {
    const resources = (await get(api, groupPath({ group, version }))).at("resources").items();
    for (const one of resources) {
      const [resource, kind] = [textAt(one, "name"), textAt(one, "kind")];
      // Parts of objects, like their status, have paths of their own.
      if (kind !== "" && /^[a-z0-9]+$/.test(resource))
        found.push({ group, version, kind, resource, namespaced: one.at("namespaced").raw === true });
    }
  }
  return [...Map.groupBy(found, kindText).values()].flatMap((served) => {
    const [first] = served;
    const version =
      first &&
      versionOf(
        first,
        served.map((one) => one.version),
      );
    return served.filter((one) => one.version === version);
  });
}

async function listInto(values: unknown[], api: KubeApi, kind: ObjectKind): Promise<void> {
  const typed = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  await list({
    ...{ api, path: collectionPath(kind), pageSize, signal: new AbortController().signal },
    asked: () => undefined,
    absorb: (item) => {
      values.push(Object.assign({}, item, typed));
    },
  });
}

async function get(api: KubeApi, path: string): Promise<Field> {
  const response = await api.request({ method: "GET", path, signal: new AbortController().signal });
  if (response.status !== 200) throw failureOfAnswer(response);
  return new Field(new Problems(), "", response.body);
}

function textAt(field: Field, name: string): string {
  const { raw } = field.at(name);
  return typeof raw === "string" ? raw : "";
}
