// Questions about who may reach whom, answered in a thread that keeps the world: making the world again takes longer than most
// answers. One question at a time. The thread of an earlier revision ends at the next question, and one that nobody asks ends by
// itself.

import type { Worker } from "node:worker_threads";
import type { CanReport } from "../../can/report.ts";
import type { MatrixReport } from "../../matrix/report.ts";
import type { Lane, Spent } from "./lane.ts";
import type { ThreadBounds, ThreadTask } from "./ui-thread.ts";
import { nextOf, startThread } from "./ui-thread.ts";

export type WorldQuestion =
  | { readonly kind: "matrix"; readonly namespace: string | null }
  | { readonly kind: "can"; readonly from: string | null; readonly to: string | null };

export type WorldAnswer = MatrixReport | CanReport | { readonly failure: string };

type Task = Extract<ThreadTask, { kind: "questions" }>;

interface Kept {
  readonly revision: string;
  readonly worker: Worker;
  readonly bounds: ThreadBounds;
}

const idleMs = 60_000;

export interface Asked {
  readonly task: Task;
  readonly bounds: ThreadBounds;
}

export class WorldThread {
  readonly #askedOf: () => Asked;
  readonly #revision: () => string;
  readonly #lane: Lane;
  #kept: Kept | null = null;
  #idle: NodeJS.Timeout | undefined;

  /** `revision`: of the world of which `askedOf` makes a copy now. Questions are asked in the lane. */
  constructor(revision: () => string, askedOf: () => Asked, lane: Lane) {
    this.#revision = revision;
    this.#askedOf = askedOf;
    this.#lane = lane;
  }

  /** Rejects with an Error of one sentence. */
  async matrix(namespace: string | null): Promise<MatrixReport> {
    const answer = await this.#ask({ kind: "matrix", namespace });
    if (!("schema" in answer) || answer.schema !== "northgate.matrix/1") throw noAnswer(answer);
    return answer;
  }

  /** Of every protocol and port. Rejects as `matrix` does. */
  async can(from: string | null, to: string | null): Promise<CanReport> {
    const answer = await this.#ask({ kind: "can", from, to });
    if (!("schema" in answer) || answer.schema !== "northgate.can/1") throw noAnswer(answer);
    return answer;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#end();
  }

  #ask(question: WorldQuestion): Promise<WorldAnswer> {
    return this.#lane.take((spent) => this.#answered(question, spent));
  }

  async #answered(question: WorldQuestion, spent: Spent): Promise<WorldAnswer> {
    const { worker, bounds } = this.#keptOfNow();
    worker.postMessage(question);
    const { value, cpuMs } = await nextOf(worker, bounds);
    spent(cpuMs);
    this.#idle = setTimeout(() => {
      this.#end();
    }, idleMs).unref();
    return value as WorldAnswer;
  }

  #keptOfNow(): Kept {
    clearTimeout(this.#idle);
    const revision = this.#revision();
    if (this.#kept?.revision !== revision) {
      this.#end();
      const { task, bounds } = this.#askedOf();
      const worker = startThread(task, bounds);
      // One that has ended is asked nothing. Why it has is the failure of the question that it was asked.
      worker
        .on("error", () => undefined)
        .once("exit", () => {
          if (this.#kept?.worker === worker) this.#kept = null;
        });
      this.#kept = { revision, worker, bounds };
    }
    return this.#kept;
  }

  #end(): void {
    void this.#kept?.worker.terminate();
    this.#kept = null;
  }
}

function noAnswer(answer: WorldAnswer): Error {
  return new Error("failure" in answer ? answer.failure : "the thread sent no answer to the question");
}
