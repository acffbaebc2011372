// The bench's end of the API server's process. It ends with the bench.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import type { Change } from "../workloads/world.ts";
import type { Answer, Request } from "./protocol.ts";

const program = fileURLToPath(new URL("api-server.ts", import.meta.url));

export class ApiProcess {
  readonly #child: ChildProcess;
  /** For the program: a user's, with the server's address and authority. */
  readonly kubeconfig: string;

  private constructor(child: ChildProcess, kubeconfig: string) {
    this.#child = child;
    this.kubeconfig = kubeconfig;
  }

  /** The server answers with the workload's objects when this resolves. `folder`: where the kubeconfig is written. */
  static async open(workload: string, folder: string): Promise<ApiProcess> {
    const child = fork(program, [], { serialization: "advanced" });
    const api = new ApiProcess(child, join(folder, "kubeconfig"));
    const { server } = await api.#ask({ say: "serve", workload });
    if (server === undefined) throw new Error("the API server's process did not say where it serves");
    const data = Buffer.from(server.authority).toString("base64");
    const config = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "bench" },
      clusters: [{ name: "bench", cluster: { server: server.url, "certificate-authority-data": data } }],
      users: [{ name: "bench", user: { token: "bench" } }],
      contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
    };
    writeFileSync(api.kubeconfig, stringify(config), { mode: 0o600 });
    return api;
  }

  async change(changes: readonly Change[]): Promise<void> {
    await this.#ask({ say: "change", changes });
  }

  /** Resolves when so many updates without effect are written. */
  async touch(updates: number): Promise<void> {
    await this.#ask({ say: "touch", updates });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }

  async #ask(request: Request): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const failed = (code: number | null): void => {
      reject(new Error(`the API server's process ended with ${code ?? "a signal"}`));
    };
    this.#child.once("message", resolve);
    this.#child.once("exit", failed);
    this.#child.send(request);
    try {
      return await promise;
    } finally {
      this.#child.off("message", resolve);
      this.#child.off("exit", failed);
    }
  }
}
