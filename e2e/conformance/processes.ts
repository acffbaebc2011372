// A program of the cluster that ends with this process, whatever way that ends: its input is a pipe from here, and a guard
// of the folder that its arguments name knows its pid file. What it writes goes to a file.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { patience } from "../../test/support/patience.ts";

export interface ProcessSpec {
  /** Its log and pid file are <dir>/<name>.log and .pid. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export class Process {
  readonly logPath: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #pidFile: string;
  readonly #ended: Promise<number | null>;
  /** Length of what an earlier process of this name has written. */
  readonly #before: number;
  #running = true;

  /** The arguments must name the folder. */
  constructor(dir: string, { name, program, args, env = process.env }: ProcessSpec) {
    this.logPath = join(dir, `${name}.log`);
    this.#pidFile = join(dir, `${name}.pid`);
    this.#before = existsSync(this.logPath) ? readFileSync(this.logPath, "utf8").length : 0;
    const log = openSync(this.logPath, "a", 0o600);
    this.#child = spawn(program, args, { stdio: ["pipe", log, log], env: { ...env, NODE_OPTIONS: "" } });
    closeSync(log);
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", () => {
        this.#running = false;
        resolve(null);
      });
      this.#child.once("exit", (code) => {
        this.#running = false;
        rmSync(this.#pidFile, { force: true });
        resolve(code);
      });
    });
    this.#child.stdin?.on("error", () => undefined); // It ended.
    this.pid = this.#child.pid ?? 0;
    if (this.pid !== 0) writeFileSync(this.#pidFile, `${this.pid}\n`);
  }

  get running(): boolean {
    return this.#running;
  }

  /** What it has written so far. */
  log(): string {
    return readFileSync(this.logPath, "utf8").slice(this.#before);
  }

  /** Whether it has written this line. */
  says(line: string): boolean {
    return this.log().split("\n").includes(line);
  }

  /** Resolves when `ready` says so; rejects with the end of the log when it ends before, or takes too long. */
  async ready(ready: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + patience(timeoutMs);
    while (!(await ready())) {
      if (this.#running && performance.now() < deadline) await sleep(25);
      else
        throw new Error(
          `${this.#child.spawnfile} is not ready:\n${this.log().split("\n").slice(-8).join("\n")}`,
        );
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves with its exit code when it is gone. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.#child.stdin?.end();
    if (this.#running) this.#child.kill(signal);
    const stuck = sleep(patience(20_000), "stuck", { ref: false });
    if ((await Promise.race([this.#ended, stuck])) === "stuck") this.#child.kill("SIGKILL");
    return this.#ended;
  }
}
