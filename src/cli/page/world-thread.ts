// Questions about who may reach whom, answered in a thread that keeps the world: making the world again takes longer than most
// answers. One question at a time. The thread of an earlier revision ends at the next question, and one that nobody asks ends by
// itself.

import type { Worker } from "node:worker_threads";
import type { CanReport } from "../../can/report.ts";
import type { MatrixReport } from "../../matrix/report.ts";
import type { ThreadTask } from "./ui-thread.ts";
import { startThread } from "./ui-thread.ts";

export type WorldQuestion =
  | { readonly kind: "matrix"; readonly namespace: string | null }
  | { readonly kind: "can"; readonly from: string | null; readonly to: string | null };

export type WorldAnswer = MatrixReport | CanReport | { readonly failure: string };

type Task = Extract<ThreadTask, { kind: "questions" }>;

interface Kept {
  readonly revision: string;
  readonly worker: Worker;
}

const idleMs = 60_000;

export class WorldThread {
  readonly #taskOf: () => Task;
  readonly #revision: () => string;
  #kept: Kept | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** `revision`: of the world of which `taskOf` makes a copy now. */
  constructor(revision: () => string, taskOf: () => Task) {
    this.#revision = revision;
    this.#taskOf = taskOf;
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

  #ask(question: WorldQuestion): Promise<WorldAnswer> {
    const answer = this.#last.then(() => this.#answered(question));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  #answered(question: WorldQuestion): Promise<WorldAnswer> {
    const worker = this.#workerOfNow();
    return new Promise((resolve, reject) => {
      const failed = (error: unknown): void => {
        this.#end();
        reject(error instanceof Error ? error : new Error("the thread has ended without a result"));
      };
      worker.once("error", failed).once("exit", failed);
      worker.once("message", (answer: WorldAnswer) => {
        worker.off("error", failed).off("exit", failed);
        this.#idle = setTimeout(() => {
          this.#end();
        }, idleMs).unref();
        resolve(answer);
      });
      worker.postMessage(question);
    });
  }

  #workerOfNow(): Worker {
    clearTimeout(this.#idle);
    const revision = this.#revision();
    if (this.#kept?.revision !== revision) {
      this.#end();
      const worker = startThread(this.#taskOf());
      // One that has ended is asked nothing. Why it has is the failure of the question that it was asked.
      worker
        .on("error", () => undefined)
        .once("exit", () => {
          if (this.#kept?.worker === worker) this.#kept = null;
        });
      this.#kept = { revision, worker };
    }
    return this.#kept.worker;
  }

  #end(): void {
    void this.#kept?.worker.terminate();
    this.#kept = null;
  }
}

function noAnswer(answer: WorldAnswer): Error {
  return new Error("failure" in answer ? answer.failure : "the thread sent no answer to the question");
}
