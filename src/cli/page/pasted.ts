// The world that manifests in a text make of another one: their objects replace those of the same names, and nothing is removed.
// Refuses a text of which anything cannot be read: what is compared is all of it.

import { readingFor } from "../../backends.ts";
import { installed } from "../../dialects.ts";
import { formatSourceProblem, loadManifests } from "../../informers/index.ts";
import type { ObjectKey, ReferencedObject, WorldObject } from "../../model/object.ts";
import { isPod, isReferenced, keyOf, kindText, kindTextOf } from "../../model/object.ts";
import { serviceKind } from "../../model/service.ts";
import { endsAmong, workloadKey } from "../../model/workload.ts";
import { notReadOf } from "../../unknowns/foreign.ts";
import { foreignAmong } from "../../worlds/foreign.ts";
import { isWorkload, workloadsAmong } from "../../worlds/workloads.ts";
import type { ThreadMode, WorldCopy } from "./ui-thread.ts";

/** In places of problems. */
const nameOfText = "(pasted)";
const mostProblems = 5;
const serviceText = kindText(serviceKind);

export interface Pasted {
  readonly world: WorldCopy;
  readonly keys: readonly ObjectKey[];
}

/** Throws an Error of one sentence, with the places of what is wrong. */
export function withPasted(world: WorldCopy, text: string, mode: ThreadMode): Pasted {
  const { policies, references, unread } = installed(mode.kinds);
  const isForeign = foreignAmong(policies);
  const reading = { wholePods: true, ...readingFor(mode), unread, texts: [{ name: nameOfText, text }] };
  const { objects, problems, kept } = loadManifests(
    ...([[], policies, [...references, serviceKind]] as const),
    (kind, apiVersion) => isWorkload(kind, apiVersion) || isForeign(kind, apiVersion),
    reading,
  );
  const { workloads: makers, problems: others } = workloadsAmong(kept);
  const wrong = [...problems, ...others].filter(({ problem }) => problem.severity === "error");
  if (wrong.length > 0) {
    const lines = wrong.slice(0, mostProblems).map(formatSourceProblem);
    throw new Error(
      lines.concat(wrong.length > mostProblems ? [`and ${wrong.length - mostProblems} more`] : []).join("; "),
    );
  }
  const notRead = notReadOf(kept, [], policies);
  if (objects.length + makers.length + notRead.policies.length === 0)
    throw new Error(
      "the text has no object that is read here: policies, namespaces, pods, nodes, workloads, Services",
    );
  const isJudged = references.some((kind) => kindText(kind) === serviceText);
  const all = joined(
    world.objects,
    objects.filter((one) => isJudged || !isService(one)),
    keyOf,
  );
  return {
    keys: objects.map(keyOf),
    world: {
      objects: all,
      ...{ kept: world.kept, isProving: world.isProving },
      notRead: {
        policies: joined(world.notRead.policies, notRead.policies, (one) =>
          JSON.stringify([one.group, one.kind, one.namespace, one.name]),
        ),
        sentences: world.notRead.sentences,
      },
      workloads: joined(world.workloads, endsAmong(makers, all.filter(isPod)), workloadKey),
      services: joined(world.services, objects.filter(isService), keyOf),
    },
  };
}

function isService(object: WorldObject): object is ReferencedObject {
  return isReferenced(object) && kindTextOf(keyOf(object)) === serviceText;
}

/** The second ones replace those of the same keys. */
function joined<T>(first: readonly T[], second: readonly T[], keyOfOne: (one: T) => string): readonly T[] {
  return [...new Map([...first, ...second].map((one) => [keyOfOne(one), one])).values()];
}
