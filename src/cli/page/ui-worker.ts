// A thread of `northgate ui` that makes what takes long on a large cluster, the findings of lint or the report of a plan, out of
// copies of the objects: the page is answered meanwhile. Ends when it has sent its result. It knows no files, so that its result
// has no places (ui-places.ts).

import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { installed } from "../../dialects.ts";
import { provenNamespaces } from "../../unknowns/namespaces.ts";
import { withUnread } from "../../unknowns/unread.ts";
import { lint } from "../../lint/lint.ts";
import { usualNeeds } from "../../analysis/needs.ts";
import type { LocationOf, ReferencedObject, WorldObject } from "../../model/object.ts";
import { groupOf, isReferenced, isSameKind } from "../../model/object.ts";
import { readService, serviceKind } from "../../model/service.ts";
import { backendNamed } from "../../backends.ts";
import { both } from "../../verdicts/worlds.ts";
import { reportOf } from "../../worlds/plan-report.ts";
import type { ThreadMode, ThreadTask, WorldCopy } from "./ui-thread.ts";
import { isTask } from "./ui-thread.ts";

const placeOf: LocationOf = () => null;

/** As a command knows a world that it has loaded: a model for rows, and one for verdicts. */
function worldOf({ objects, kept, notRead }: WorldCopy, mode: ThreadMode) {
  const { dialects: all, tierLayout } = installed(mode.kinds);
  const dialects = withUnread(all, []);
  const modelOf = (all: readonly WorldObject[]) => {
    const model = backendNamed(mode.backend).model({ ...mode, objects: kept, dialects, tierLayout });
    model.observe(all);
    return model;
  };
  const model = modelOf(objects);
  const proven = provenNamespaces(objects);
  const judged = proven.length === 0 ? model : modelOf([...objects, ...proven]);
  return { model, judged, notRead, objects, dialects, placeOf };
}

function made(task: ThreadTask): unknown {
  const { mode } = task;
  if (task.kind === "plan") {
    const worlds = both((age) => worldOf(task[age], mode));
    return reportOf(worlds, { ...mode, againstText: task.against });
  }
  const { judged: model, dialects, notRead } = worldOf(task.world, mode);
  const records = [...model.records()];
  return lint({
    ...{ policies: model.policies(), records, facts: model.facts },
    ...{ dialects, placeOf, needs: usualNeeds, foreign: notRead.policies, notAsked: notRead.sentences },
    services: task.world.objects.filter(isService).map(readService),
  });
}

function isService(object: WorldObject): object is ReferencedObject {
  return (
    isReferenced(object) && isSameKind(serviceKind, { group: groupOf(object.apiVersion), kind: object.kind })
  );
}

const task: unknown = workerData;
if (!isMainThread && isTask(task)) parentPort?.postMessage(made(task));
