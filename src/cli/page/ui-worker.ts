// A thread of `northgate ui` that makes what takes long on a large cluster, the findings of lint, a matrix, or the report of a plan or of a
// text that somebody has pasted, out of copies of the objects: the page is answered meanwhile. Ends when it has sent its result. It knows no files, so that its result
// has no places (ui-places.ts).

import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { cniFlag, cniNamed } from "../../cni/answers.ts";
import { provenNamespaces } from "../../unknowns/namespaces.ts";
import { lint } from "../../lint/lint.ts";
import { AskedWorld } from "../../explain/asked.ts";
import { matrix } from "../../matrix/matrix.ts";
import { usualNeeds } from "../../analysis/needs.ts";
import type { LocationOf, WorldObject } from "../../model/object.ts";
import { readService } from "../../model/service.ts";
import { both } from "../../verdicts/worlds.ts";
import { reportOf } from "../../worlds/plan-report.ts";
import { modelsWith } from "../../worlds/world-models.ts";
import type { PlanReport } from "../../plan/report.ts";
import { withPasted } from "./pasted.ts";
import type { TextCompared, ThreadMode, ThreadTask, WorldCopy } from "./ui-thread.ts";
import { isTask } from "./ui-thread.ts";

const placeOf: LocationOf = () => null;

/** As a command knows a world that it has loaded: a model for rows, and one for verdicts. */
function worldOf({ objects, kept, notRead, workloads }: WorldCopy, mode: ThreadMode) {
  const { dialects, modelOf } = modelsWith(mode.kinds, mode, []);
  const observed = (all: readonly WorldObject[]) => {
    const model = modelOf(kept);
    model.observe(all);
    return model;
  };
  const model = observed(objects);
  const proven = provenNamespaces([...objects, ...workloads.map(({ template }) => template)]);
  const judged = proven.length === 0 ? model : observed([...objects, ...proven]);
  const cni = cniNamed(mode.kinds[cniFlag]);
  return { model, judged, notRead, objects, dialects, placeOf, workloads, cni };
}

function compared({ world, text, mode }: Extract<ThreadTask, { kind: "compare" }>): unknown {
  try {
    const { world: edited, keys } = withPasted(world, text, mode);
    const worlds = { old: worldOf(world, mode), new: worldOf(edited, mode) };
    const report: PlanReport = reportOf(worlds, { ...mode, againstText: "what is shown" });
    return { report, pasted: keys } satisfies TextCompared;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { failure: error.message };
  }
}

function made(task: ThreadTask): unknown {
  const { mode } = task;
  if (task.kind === "compare") return compared(task);
  if (task.kind === "plan") {
    const worlds = both((age) => worldOf(task[age], mode));
    return reportOf(worlds, { ...mode, againstText: task.against });
  }
  const { judged: model, dialects, notRead, workloads, cni } = worldOf(task.world, mode);
  if (task.kind === "matrix") {
    const { objects, services } = task.world;
    const asked = new AskedWorld(model, {
      ...{ dialects, placeOf, objects, services, notRead, workloads, cni },
      ...{ families: mode.families, serviceNetworks: task.serviceNetworks },
    });
    return matrix(asked, { namespace: null, protocol: null, port: null });
  }
  const records = [...model.records()];
  return lint({
    ...{ policies: model.policies(), records, facts: model.facts },
    ...{ dialects, placeOf, needs: usualNeeds, foreign: notRead.policies, notAsked: notRead.sentences },
    ...{ workloads, cni, services: task.world.services.map(readService) },
  });
}

const task: unknown = workerData;
if (!isMainThread && isTask(task)) parentPort?.postMessage(made(task));
