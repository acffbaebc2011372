// The bench's end of the controller's process: starts it, tells it of changes, asks for reports. It ends with the bench.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { heapFlags } from "../../src/v8-flags.ts";
import type { Change } from "../workloads/world.ts";
import type { Answer, Recording, Report, Request, Setup } from "./protocol.ts";

/** Compiled, as users run it; `make bench` sees to that. */
const program = fileURLToPath(new URL("../../.cache/bench/bench/run/controller.js", import.meta.url));

export class ControllerProcess {
  readonly #child: ChildProcess;
  readonly #answers: PromiseWithResolvers<Answer>[] = [];

  #preparedCpuMs = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", (answer: Answer) => {
      this.#answers.shift()?.resolve(answer);
    });
    child.once("exit", (code, signal) => {
      const error = new Error(`the controller's process ended with ${code ?? signal ?? "nothing"}`);
      for (const answer of this.#answers.splice(0)) answer.reject(error);
    });
  }

  /** Its world is built when this resolves; nothing is connected yet. */
  static async prepare(setup: Setup): Promise<ControllerProcess> {
    const child = fork(program, [], { serialization: "advanced", execArgv: [...heapFlags] });
    const controller = new ControllerProcess(child);
    const answer = await controller.#ask({ say: "prepare", setup });
    if (answer.said === "prepared") controller.#preparedCpuMs = answer.cpuMs;
    return controller;
  }

  /** What building its world took. */
  get preparedCpuMs(): number {
    return this.#preparedCpuMs;
  }

  /** `filled`: as in Request. */
  start(filled = false): void {
    this.#child.send({ say: "start", filled } satisfies Request);
  }

  /** Resolves when the controller's process has them, as the floor's requests are bytes before the clock starts. */
  async stage(changes: readonly Change[]): Promise<void> {
    await this.#ask({ say: "stage", changes });
  }

  /** What is staged happens. */
  change(): void {
    this.#child.send({ say: "change" } satisfies Request);
  }

  /** Resolves when the controller has nothing left to do. */
  async report(): Promise<Report> {
    const answer = await this.#ask({ say: "report" });
    if (answer.said !== "report") throw new Error("the controller's process answered another question");
    return answer.report;
  }

  /** A profile of what happens between "start" and "stop", or a snapshot of now, written to `path`. */
  async record(what: Recording, path = ""): Promise<void> {
    await this.#ask({ say: "record", what, path });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    if (this.#child.connected) this.#child.send({ say: "stop" } satisfies Request);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(timer);
  }

  #ask(request: Request): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    this.#answers.push(answer);
    this.#child.send(request);
    return answer.promise;
  }
}
