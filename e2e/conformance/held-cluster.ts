// A cluster in a process of its own, for a test that kills that process: what belonged to the cluster, and what is left of it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { below, type Found, interfaces, processes, ticksNow } from "./leftovers.ts";

/** What may be left, each in words; all are empty when nothing is. */
export interface Left {
  readonly processes: readonly string[];
  readonly folders: readonly string[];
  /** Lines of mountinfo. */
  readonly mounts: readonly string[];
  /** Interfaces of this network namespace that were not there before. */
  readonly interfaces: readonly string[];
}

export class HeldCluster {
  /** Of the process that has it. */
  readonly pid: number;
  /** Its processes when it was ready. */
  readonly started: readonly Found[];
  /** Their network namespaces, without this process's own. */
  readonly namespaces: ReadonlySet<string>;
  readonly #child: ChildProcess;
  readonly #folders: readonly string[];
  readonly #interfaces: readonly string[];
  #killed = Infinity;

  private constructor(child: ChildProcess, folders: readonly string[], interfaces: readonly string[]) {
    this.#child = child;
    this.#folders = folders;
    this.#interfaces = interfaces;
    this.pid = child.pid ?? 0;
    this.started = [...below(this.pid), ...this.#ofIt()];
    const own = processes().find(({ pid }) => pid === process.pid)?.namespace;
    this.namespaces = new Set(
      this.started.map(({ namespace }) => namespace).filter((one) => one !== own && one !== ""),
    );
  }

  /** The script starts the cluster, then prints the folders of its state as JSON on one line, and does nothing more. */
  static async start(script: string): Promise<HeldCluster> {
    const before = await interfaces();
    const child = spawn(process.execPath, [script], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    const ended = once(child, "exit").then(() => {
      throw new Error(`${script} ended before the cluster was ready`);
    });
    const said = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>;
    const [line] = await Promise.race([said, ended]);
    ended.catch(() => undefined); // later it is meant to
    return new HeldCluster(child, JSON.parse(line) as readonly string[], before);
  }

  kill(): void {
    this.#killed = ticksNow();
    this.#child.kill("SIGKILL");
  }

  async left(): Promise<Left> {
    const pids = new Set(this.started.map(({ pid, command }) => `${pid} ${command}`));
    const here = processes().filter(
      ({ pid, namespace, command, since }) =>
        since <= this.#killed && (this.namespaces.has(namespace) || pids.has(`${pid} ${command}`)),
    );
    const now = await interfaces();
    return {
      processes: [...here, ...this.#ofIt()].map(({ pid, command }) => `${pid} ${command}`),
      folders: this.#folders.filter((folder) => existsSync(folder)),
      mounts: readFileSync("/proc/self/mountinfo", "utf8")
        .split("\n")
        .filter((line) => this.#folders.some((folder) => line.includes(folder))),
      interfaces: now.filter((name) => !this.#interfaces.includes(name)),
    };
  }

  #ofIt(): readonly Found[] {
    return processes().filter(({ command }) => this.#folders.some((folder) => command.includes(folder)));
  }
}
