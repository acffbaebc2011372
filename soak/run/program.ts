// One `northgate run` in a process of its own: what it says of itself at /metrics and /readyz, and what the kernel says of
// it. Knows whether it was held since the last sample, so that a pause of ours is not taken for one of its own.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Scrape } from "../../e2e/prometheus.ts";
import { type Running, startNorthgate } from "../../test/support/program.ts";

const answerMs = 5_000;

export interface Usage {
  readonly rssBytes: number;
  readonly descriptors: number;
}

export class Program {
  readonly #running: Running;
  readonly #pid: number;
  #address: string | null = null;
  #isHeld = false;
  #wasHeld = false;

  /** `folder` gets a pid file, by which a guard of the folder ends the process, and must be in the arguments. */
  constructor(args: readonly string[], folder: string, name: string) {
    this.#running = startNorthgate([...args, "--metrics-bind-address=127.0.0.1:0"]);
    const { pid } = this.#running.child;
    if (pid === undefined) throw new Error("the program does not start");
    this.#pid = pid;
    writeFileSync(join(folder, `${name}.pid`), `${pid}\n`);
  }

  get runs(): boolean {
    const { exitCode, signalCode } = this.#running.child;
    return exitCode === null && signalCode === null;
  }

  /** Lines of its log at level error, and those that are no log line of ours. */
  complaints(): readonly string[] {
    return this.#running
      .log()
      .filter(({ level }) => level !== "debug" && level !== "info" && level !== "warn")
      .map((line) => JSON.stringify(line));
  }

  async metrics(): Promise<Scrape> {
    return new Scrape(await this.#get("/metrics"));
  }

  async leads(): Promise<boolean> {
    return (await this.metrics()).value("northgate_leader") === 1;
  }

  async standsBy(): Promise<boolean> {
    const [first, ...notes] = (await this.#get("/readyz")).split("\n");
    return first === "ok" && notes.some((note) => note.startsWith("standby: "));
  }

  async isReady(): Promise<boolean> {
    return (await this.#get("/readyz")).split("\n")[0] === "ok";
  }

  usage(): Usage {
    const status = readFileSync(`/proc/${this.#pid}/status`, "utf8");
    return {
      rssBytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024,
      descriptors: readdirSync(`/proc/${this.#pid}/fd`).length,
    };
  }

  /** SIGSTOP. */
  hold(): void {
    this.#isHeld = this.#wasHeld = true;
    this.#running.child.kill("SIGSTOP");
  }

  /** SIGCONT; harmless when it was not held. */
  release(): void {
    // A look that was under way when it was held does not count for the time after it.
    this.#wasHeld ||= this.#isHeld;
    this.#isHeld = false;
    this.#running.child.kill("SIGCONT");
  }

  /** Whether it was held since the last call. */
  takeHeld(): boolean {
    const was = this.#wasHeld;
    this.#wasHeld = false;
    return was;
  }

  /** Its exit code; null: by a signal. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    return this.runs ? await this.#running.end(signal) : this.#running.child.exitCode;
  }

  async #get(path: string): Promise<string> {
    const answer = await fetch(`${await this.#served()}${path}`, { signal: AbortSignal.timeout(answerMs) });
    return await answer.text();
  }

  async #served(): Promise<string> {
    while (this.#address === null) {
      if (!this.runs) throw new Error("the program has ended");
      const line = this.#running.log().find(({ message }) => message === "metrics are served");
      if (line === undefined) await sleep(50);
      else this.#address = String(line["address"]);
    }
    return this.#address;
  }
}

/** Resolves when the check passes; what it rejects with counts as no. Rejects when that takes longer than asked for. */
export async function until(what: string, timeoutMs: number, check: () => Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await check().catch(() => false))) {
    if (performance.now() - begun > timeoutMs) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    await sleep(100);
  }
}
