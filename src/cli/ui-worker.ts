// A thread of `northgate ui` that makes what takes long on a large cluster, the findings of lint or the report of a plan, out of
// copies of the objects: the page is answered meanwhile. Ends when it has said its result. Places are of the other thread, which
// knows the files: here they are the key and the field (ui-thread.ts).

import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { installed } from "../dialects.ts";
import { lint } from "../lint/lint.ts";
import { usualNeeds } from "../lint/needs.ts";
import type { PlaceOf, WorldObject } from "../model/object.ts";
import { offlineModel } from "../offline/rendered.ts";
import { both } from "../plan/world.ts";
import { reportOf } from "./plan-report.ts";
import type { ThreadMode, ThreadTask } from "./ui-thread.ts";
import { isTask, placeToken } from "./ui-thread.ts";

const placeOf: PlaceOf = placeToken;

function modelOf(objects: readonly WorldObject[], mode: ThreadMode) {
  const { dialects } = installed(mode.kinds);
  const model = offlineModel({ objects, dialects, families: mode.families, mode });
  return { model, objects, dialects, placeOf };
}

function made(task: ThreadTask): unknown {
  const { mode } = task;
  if (task.kind === "plan") {
    const worlds = both((age) => modelOf(task[age], mode));
    return reportOf(worlds, { ...mode, againstText: task.against });
  }
  const { model, dialects } = modelOf(task.objects, mode);
  const records = [...model.records()];
  return lint({
    ...{ policies: model.policies(), records, facts: model.facts },
    ...{ dialects, placeOf, needs: usualNeeds },
  });
}

const task: unknown = workerData;
if (!isMainThread && isTask(task)) parentPort?.postMessage(made(task));
