// Lists every object of some kinds once, for commands that do not watch. A kind that the server does not serve has no
// objects. Refused objects are findings, as in a source; a kind that cannot be listed is a Failure, unless the answer can do
// without it.

import type { ObjectKey, ObjectKind, SourceProblem, WorldObject } from "../../../model/object.ts";
import type { ReadableKind, Reading } from "../../../informers/objects/kinds.ts";
import { readableKinds } from "../../../informers/objects/kinds.ts";
import { placeProblem } from "../../../informers/source-problem.ts";
import type { ObjectShape } from "../../protobuf/envelope.ts";
import type { KubeApi } from "../../transport/api.ts";
import { failureOf } from "../../transport/failure.ts";
import { collectionPath } from "../../transport/paths.ts";
import { list } from "../list.ts";
import { PageSize } from "../page-size.ts";
import { shapeOf } from "../shapes/shape-of.ts";
import { asServed } from "../served-as.ts";
import { Sharing } from "../sharing.ts";
import { Store } from "../store.ts";
import { defaultTiming } from "../../transport/timing.ts";

export interface KindsToList extends Reading {
  readonly policies: readonly ObjectKind[];
  readonly references: readonly ObjectKind[];
  /** Further kinds without which there is an answer too. */
  readonly optional: readonly ObjectKind[];
  /** Those of `policies` and `references` without which there is an answer too; none unless given. */
  readonly spared?: readonly ObjectKind[];
}

export interface ListedWorld {
  readonly objects: readonly WorldObject[];
  readonly problems: readonly SourceProblem[];
  /** Kinds that could not be listed, each with a warning: their objects are unknown. */
  readonly unread: readonly ObjectKind[];
}

/** Throws an Error of one sentence, with the path, when a kind cannot be listed. */
export async function listWorld(
  api: KubeApi,
  { policies, references, optional, spared = [], ...reading }: KindsToList,
): Promise<ListedWorld> {
  const objects: WorldObject[] = [];
  const problems: SourceProblem[] = [];
  const sharing = new Sharing();
  const unread: ObjectKind[] = [];
  const free = new Set([...optional, ...spared].map(collectionPath));
  for (const kind of readableKinds(policies, [...references, ...optional], reading)) {
    const path = collectionPath(kind);
    try {
      const shape = shapeOf(kind, reading.wholePods);
      const listed = await asServed(kind, (as) => listKind(api, kind, as, shape, sharing));
      objects.push(...listed.objects);
      problems.push(...listed.problems);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      // The kinds of the core group are served as long as the server is.
      if (failure.kind === "missing" && kind.group !== "") continue;
      if (!free.has(path)) throw new Error(`${path}: ${failure.message}`, { cause: error });
      const finding = placeProblem(path, failure.message);
      problems.push({ ...finding, problem: { ...finding.problem, severity: "warning" } });
      unread.push(kind);
    }
  }
  return { objects, problems, unread };
}

/** How often a list may begin again because the server compacted its version, or a page was too long. */
const attempts = 5;

async function listKind(
  api: KubeApi,
  kind: ReadableKind,
  as: ObjectKind,
  shape: ObjectShape | null,
  sharing: Sharing,
): Promise<Omit<ListedWorld, "unread">> {
  const pageSize = new PageSize(defaultTiming.pageSize);
  for (let attempt = 1; ; attempt++) {
    const keys = new Set<ObjectKey>();
    const problems: SourceProblem[] = [];
    const path = collectionPath(as);
    const listener = {
      changed: (key: ObjectKey) => {
        keys.add(key);
      },
      problem: (problem: SourceProblem) => {
        problems.push(problem);
      },
      status: () => undefined,
    };
    const store = new Store(kind, sharing, listener, null, { kind: as, path });
    try {
      await list({
        api,
        path,
        shape,
        pageSize: pageSize.objects,
        signal: new AbortController().signal,
        asked: () => undefined,
        absorb: (item) => {
          store.put(item);
        },
      });
      return { objects: Array.from(keys, (key) => store.read(key)).filter((one) => one !== null), problems };
    } catch (error) {
      const { kind: failed } = failureOf(error) ?? { kind: null };
      if (attempt >= attempts || (failed !== "expired" && failed !== "oversized")) throw error;
      if (failed === "expired") pageSize.restarted();
      else pageSize.tooLong();
    }
  }
}
