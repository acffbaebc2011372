// The shipped program with names of domains, from a folder of manifests: `northgate run`, and what its metrics say.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seriesIn } from "../../src/doctor/series.ts";
import { heapFlags } from "../../src/v8-flags.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import { writeJson } from "../../test/support/manifests.ts";
import type { Running } from "../../test/support/program.ts";
import { running } from "../../test/support/program.ts";
import { served } from "../../e2e/names/observed.ts";
import type { Usage } from "../run/usage.ts";
import { usageOf } from "../run/usage.ts";

const launcher = fileURLToPath(new URL("../../bin/northgate.js", import.meta.url));

export class NamesProgram {
  readonly #running: Running;
  readonly #folder: string;

  private constructor(one: Running, folder: string) {
    this.#running = one;
    this.#folder = folder;
  }

  static start(nb: string, items: readonly KubernetesObject[], ...names: readonly string[]): NamesProgram {
    const folder = mkdtempSync(join(tmpdir(), "northgate-bench-"));
    writeJson(join(folder, "world.json"), items);
    const args = [
      ...[
        "run",
        "--log-format=json",
        `--source=dir:${folder}`,
        `--nb=${nb}`,
        "--metrics-bind-address=127.0.0.1:0",
      ],
      ...["--service-cidr=10.96.0.0/12", ...names],
    ];
    const child = spawn(process.execPath, [...heapFlags, launcher, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    return new NamesProgram(running(child), folder);
  }

  get isReady(): boolean {
    return this.#running.log().some(({ message }) => message === "initial synchronization is complete");
  }

  usage(): Usage {
    const { pid, exitCode } = this.#running.child;
    if (pid === undefined || exitCode !== null) throw new Error(`the program ended: ${this.#running.text()}`);
    return usageOf(pid);
  }

  /** The sum of a metric over the labels that have this text. */
  async metric(name: string, labels = ""): Promise<number> {
    const series = seriesIn(await served(this.#running, "metrics"));
    const own = series.filter((one) => one.name === name && one.labels.includes(labels));
    if (own.length === 0) throw new Error(`there is no metric ${name}`);
    return own.reduce((sum, { value }) => sum + value, 0);
  }

  async stop(): Promise<void> {
    await this.#running.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
