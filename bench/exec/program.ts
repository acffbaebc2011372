// The shipped program as users start it: `northgate run` from bin/, its log in a file. What it uses is read from /proc.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { heapFlags } from "../../src/v8-flags.ts";
import { type Usage, usageOf } from "../run/usage.ts";
import { kindFlags, type Rendering } from "../workloads/rendering.ts";
import type { PolicyKind } from "../workloads/catalogue.ts";

const launcher = fileURLToPath(new URL("../../bin/northgate.js", import.meta.url));

/**
 * It has nothing to do when it used less than this in `quietMs`: a stall of a start is shorter. The timer that measures the delay of the
 * event loop for /metrics, a hundred times a second, takes up to 6 ms on a slow machine.
 */
const idleCpuMs = 10;
const quietMs = 400;

export interface ProgramOptions {
  readonly kubeconfig: string;
  readonly nb: string;
  readonly rendering: Rendering;
  readonly kind: PolicyKind;
  /** Where its log is written. */
  readonly folder: string;
}

export class Program {
  readonly #child: ChildProcess;
  readonly #log: string;

  private constructor(child: ChildProcess, log: string) {
    this.#child = child;
    this.#log = log;
  }

  /** Returns at once: the clock starts before the call. */
  static start({ folder, ...options }: ProgramOptions): Program {
    const log = join(folder, "northgate.log");
    const file = openSync(log, "w");
    const stdio = ["ignore", file, file] as const;
    return new Program(
      spawn(process.execPath, [...heapFlags, launcher, ...argumentsOf(options)], { stdio: [...stdio] }),
      log,
    );
  }

  usage(): Usage {
    const { pid, exitCode } = this.#child;
    if (pid === undefined || exitCode !== null) throw new Error(`the program ended: ${this.log()}`);
    return usageOf(pid);
  }

  /** What it used when it has nothing left to do. */
  async quiet(): Promise<Usage> {
    for (let before = this.usage(); ;) {
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      const now = this.usage();
      if (now.cpuMs - before.cpuMs < idleCpuMs) return before;
      before = now;
    }
  }

  /** Lines of warnings and errors, for people. */
  log(): string {
    const lines = readFileSync(this.#log, "utf8").split("\n");
    return lines
      .filter((line) => /\b(warn|error)\b/.test(line))
      .slice(0, 5)
      .join("\n");
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(timer);
  }
}

function argumentsOf({ kubeconfig, nb, rendering, kind }: Omit<ProgramOptions, "folder">): readonly string[] {
  const { anpPriorities = "documented", namedPorts, addressSets = "rule", zone } = rendering;
  const given = Object.entries(kindFlags(kind)).filter(
    ([, value]) => value !== "false" && value !== "kubernetes",
  );
  return [
    ...["run", "--kubeconfig", kubeconfig, "--nb", nb, "--metrics-bind-address", "127.0.0.1:0"],
    ...["--anp-priorities", anpPriorities, "--named-ports", namedPorts, "--address-sets", addressSets],
    ...(zone === null ? [] : ["--zone", zone]),
    ...given.map(([flag, value]) => `--${flag}=${value}`),
  ];
}
