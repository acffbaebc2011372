// A thread of the page that makes what takes long on a large cluster out of copies of the objects: the page is answered
// meanwhile. It sends the findings of lint, or the report of a plan or of a text that somebody has pasted, and ends; or it answers
// questions about reach until it is ended (world-thread.ts). It knows no files, so that its results have no places
// (object-locations.ts).

import { constants, platform, setPriority } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { NoSuchEnd } from "../../analysis/end-query.ts";
import { can } from "../../can/can.ts";
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
import type { FromThread, TextCompared, ThreadMode, ThreadTask, WorldCopy } from "./ui-thread.ts";
import { isNice, isTask } from "./ui-thread.ts";
import type { WorldAnswer, WorldQuestion } from "./world-thread.ts";

const placeOf: LocationOf = () => null;

/** As a command knows a world that it has loaded: a model for rows, and one for verdicts. */
function worldOf({ objects, kept, notRead, workloads, isProving }: WorldCopy, mode: ThreadMode) {
  const { dialects, modelOf } = modelsWith(mode.kinds, mode, []);
  const observed = (all: readonly WorldObject[]) => {
    const model = modelOf(kept);
    model.observe(all);
    return model;
  };
  const model = observed(objects);
  const living = isProving ? [...objects, ...workloads.map(({ template }) => template)] : [];
  const proven = provenNamespaces(living);
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

type Finished = Exclude<ThreadTask, { kind: "questions" }>;

function made(task: Finished): unknown {
  const { mode } = task;
  if (task.kind === "compare") return compared(task);
  if (task.kind === "plan") {
    const worlds = both((age) => worldOf(task[age], mode));
    return reportOf(worlds, { ...mode, againstText: task.against });
  }
  const { judged: model, dialects, notRead, workloads, cni } = worldOf(task.world, mode);
  const records = [...model.records()];
  return lint({
    ...{ policies: model.policies(), records, facts: model.facts },
    ...{ dialects, placeOf, needs: usualNeeds, foreign: notRead.policies, notAsked: notRead.sentences },
    ...{ workloads, cni, services: task.world.services.map(readService) },
  });
}

/** Answers for as long as the thread is there. */
function answerQuestions(task: Extract<ThreadTask, { kind: "questions" }>, port: MessagePort): void {
  const { world, mode, serviceNetworks } = task;
  const { judged, ...known } = worldOf(world, mode);
  const { services } = world;
  const asked = new AskedWorld(judged, { ...known, services, serviceNetworks, families: mode.families });
  port.on("message", (question: WorldQuestion) => {
    send(port, answered(asked, question));
  });
}

function answered(asked: AskedWorld, question: WorldQuestion): WorldAnswer {
  const everything = { protocol: null, port: null };
  try {
    return question.kind === "matrix"
      ? matrix(asked, { ...everything, namespace: question.namespace })
      : can(asked, { ...everything, from: question.from, to: question.to });
  } catch (error) {
    if (!(error instanceof NoSuchEnd)) throw error;
    return { failure: error.message };
  }
}

let before = { user: 0, system: 0 };

function send(port: MessagePort, value: unknown): void {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  port.postMessage({ value, cpuMs: (user + system) / 1000 } satisfies FromThread);
}

/** On Linux the priority is that of this thread alone; elsewhere it would be that of the whole program. */
function yieldProcessor(): void {
  if (platform() === "linux") setPriority(0, constants.priority.PRIORITY_LOW);
}

const task: unknown = workerData;
if (!isMainThread && parentPort !== null && isTask(task)) {
  if (isNice(task)) yieldProcessor();
  if (task.kind === "questions") answerQuestions(task, parentPort);
  else send(parentPort, made(task));
}
