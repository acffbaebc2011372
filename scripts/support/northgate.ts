// `northgate run` as its own process, as a user runs it: the built program, its flags, its log, its HTTP side.

import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { heapFlags } from "../../src/v8-flags.ts";

export interface RunOptions {
  /** Where its log and pid file go. */
  readonly dir: string;
  /** Flags that say where objects come from. */
  readonly source: readonly string[];
  readonly nb: string;
  readonly metricsPort: number;
  /** Goes on when this process has ended. */
  readonly detached: boolean;
  /** The built one unless given. */
  readonly program?: string;
}

const program = fileURLToPath(new URL("../../bin/northgate.js", import.meta.url));

export class Northgate {
  readonly #child: ChildProcess;
  readonly log: string;

  constructor(options: RunOptions) {
    this.log = join(options.dir, "northgate.log");
    const file = openSync(this.log, "w");
    this.#child = spawn(
      process.execPath,
      [
        ...heapFlags,
        options.program ?? program,
        "run",
        ...options.source,
        `--nb=${options.nb}`,
        `--metrics-bind-address=127.0.0.1:${options.metricsPort}`,
        "--log-format=json",
      ],
      { stdio: ["ignore", file, file], detached: options.detached },
    );
    if (options.detached) {
      this.#child.unref();
      writeFileSync(join(options.dir, "northgate.pid"), `${this.#child.pid ?? ""}\n`);
    }
  }

  /** Resolves with the HTTP address when everything is in force; rejects with the log when it ended or took too long. */
  async ready(): Promise<string> {
    const end = performance.now() + 30_000;
    while (performance.now() < end && this.#child.exitCode === null) {
      const address = this.#address();
      if (address !== null && (await fetch(`${address}/readyz`)).ok) return address;
      await sleep(20);
    }
    throw new Error(`northgate run did not become ready; its log:\n${readFileSync(this.log, "utf8")}`);
  }

  /** Ends it as an operator would, and resolves with its exit code. */
  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => {
      this.#child.once("exit", resolve);
    });
    this.#child.kill("SIGTERM");
    return ended;
  }

  #address(): string | null {
    for (const line of readFileSync(this.log, "utf8").split("\n")) {
      if (!line.includes("metrics are served")) continue;
      const { address } = JSON.parse(line) as { readonly address: string };
      return address;
    }
    return null;
  }
}

/** Another command of it, run to its end. */
export function ran(...args: readonly string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout } = spawnSync(process.execPath, [...heapFlags, program, ...args], {
    encoding: "utf8",
  });
  return { status, text: stdout };
}
