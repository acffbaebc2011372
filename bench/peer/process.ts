// The bench's end of the peer's program: starts it, tells it of changes, asks for reports. It ends with the bench, since its
// standard input does.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { PeerChange, PeerReport, PeerRequest, Used } from "./protocol.ts";
import { reportOf, usedOf } from "./protocol.ts";

export class PeerProcess {
  readonly #child: ChildProcess;
  readonly #answers: PromiseWithResolvers<string>[] = [];
  readonly #end = Promise.withResolvers<never>();
  #prepared: Used = { at: 0, cpuMs: 0 };

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => this.#answers.shift()?.resolve(line));
    }
    child.stdin?.on("error", () => undefined);
    child.once("exit", (code, signal) => {
      const error = new Error(`the peer's program ended with ${code ?? signal ?? "nothing"}`);
      for (const answer of this.#answers.splice(0)) answer.reject(error);
      this.#end.reject(error);
    });
    // Without anything that waits for it, the end is none of the bench's failures.
    this.#end.promise.catch(() => undefined);
  }

  /** It has its objects when this resolves; nothing is connected yet. `nb`: a remote. */
  static async prepare(
    program: string,
    setup: { readonly nb: string; readonly node: string; readonly changes: readonly PeerChange[] },
  ): Promise<PeerProcess> {
    const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
    const started = once(child, "spawn");
    const peer = new PeerProcess(child);
    await started;
    peer.#prepared = usedOf(await peer.#ask({ say: "prepare", ...setup }));
    return peer;
  }

  /** What reading its objects took. */
  get preparedCpuMs(): number {
    return this.#prepared.cpuMs;
  }

  start(): void {
    this.#send({ say: "start" });
  }

  async stage(changes: readonly PeerChange[]): Promise<void> {
    usedOf(await this.#ask({ say: "stage", changes }));
  }

  /** What is staged happens. */
  change(): void {
    this.#send({ say: "change" });
  }

  /** Resolves as `awaited` does, or rejects when the program ends before. */
  whileRunning<Value>(awaited: Promise<Value>): Promise<Value> {
    return Promise.race([awaited, this.#end.promise]);
  }

  /** Resolves when it has nothing left to do. */
  async report(): Promise<PeerReport> {
    return reportOf(await this.#ask({ say: "report" }));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(timer);
  }

  #send(request: PeerRequest): void {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  #ask(request: PeerRequest): Promise<string> {
    if (this.#child.exitCode !== null) return Promise.reject(new Error("the peer's program does not run"));
    const answer = Promise.withResolvers<string>();
    this.#answers.push(answer);
    this.#send(request);
    return answer.promise;
  }
}
