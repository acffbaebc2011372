// One run of the real program, in a process of its own: what it serves, what it logs, how it ends. Refuses to end well
// when its log tells of a bug: a stack trace, an unhandled rejection, a line at level error.

import { rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "@jest/globals";
import { eventually } from "../test/support/eventually.ts";
import type { Running } from "../test/support/program.ts";
import { startNorthgate } from "../test/support/program.ts";
import { Scrape } from "./prometheus.ts";
import { patience } from "../test/support/patience.ts";

type LogLine = Readonly<Record<string, unknown>>;

const bad = /unhandled|this is a bug|\.ts:\d+:\d+|node:internal|^\s+at /i;
/** A busy machine takes its time to start a process. */
const patienceMs = 30_000;

export class Run {
  readonly #program: Running;
  readonly #pidFile: string;
  #code: number | null | "running" = "running";
  #lastScrape = "";

  /** `pidFile` is where a guard finds the process, should this one be killed. */
  constructor(args: readonly string[], pidFile: string) {
    this.#program = startNorthgate(args);
    this.#pidFile = pidFile;
    if (this.#program.child.pid !== undefined) writeFileSync(pidFile, `${this.#program.child.pid}\n`);
    this.#program.child.once("exit", (code) => (this.#code = code));
  }

  log(): readonly LogLine[] {
    return this.#program.log();
  }

  /** How often a line with this message was logged. */
  told(message: string): number {
    return this.log().filter((line) => line["message"] === message).length;
  }

  /** As they are now: the server reuses a text for a while, and each new text has another CPU time of the process. */
  async metrics(): Promise<Scrape> {
    const url = `${await this.address()}/metrics`;
    for (;;) {
      const text = await (await fetch(url)).text();
      if (text !== this.#lastScrape) return new Scrape((this.#lastScrape = text));
      await sleep(20);
    }
  }

  /** What /readyz says: "ok", or why not, a line for each reason; in both cases what is not enforced, a line each. */
  async readiness(): Promise<string> {
    return (await (await fetch(`${await this.address()}/readyz`)).text()).trim();
  }

  /** The first reconciliation is done. */
  async ready(timeoutMs = patienceMs): Promise<void> {
    await eventually(async () => {
      expect((await this.readiness()).split("\n")[0]).toBe("ok");
    }, timeoutMs);
  }

  /** Nothing in the log tells of a bug. */
  assertClean(): void {
    const lines = this.log();
    const texts = lines.map((line) => JSON.stringify(line));
    expect(texts.filter((text, i) => bad.test(text) || lines[i]?.["level"] === "error")).toEqual([]);
    expect(["running", 0]).toContain(this.#code);
  }

  /** By SIGTERM, with exit code 0 and a clean log. */
  async end(): Promise<void> {
    this.assertClean();
    expect(await this.#ended("SIGTERM")).toBe(0);
    this.assertClean();
  }

  async kill(): Promise<void> {
    await this.#ended("SIGKILL");
  }

  async #ended(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#code !== "running") return this.#code;
    const stuck = sleep(patience(patienceMs), undefined, { ref: false }).then(() =>
      this.#program.end("SIGKILL"),
    );
    const code = await Promise.race([this.#program.end(signal), stuck]);
    rmSync(this.#pidFile, { force: true });
    return code;
  }

  async address(): Promise<string> {
    let found: unknown;
    await eventually(() => {
      if (this.#code !== "running") throw new Error(`it ended with ${String(this.#code)}`);
      found = this.log().find((line) => line["message"] === "metrics are served")?.["address"];
      expect(found).toBeDefined();
    }, patienceMs);
    return String(found);
  }
}
