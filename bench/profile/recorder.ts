// Records a CPU profile and takes heap snapshots inside the process that is looked at; in formats that Chrome's DevTools
// and VS Code open.

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { writeHeapSnapshot } from "node:v8";

export class Recorder {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.setSamplingInterval", { interval: 200 });
    await this.#session.post("Profiler.start");
  }

  async stop(path: string): Promise<void> {
    const { profile } = await this.#session.post("Profiler.stop");
    this.#session.disconnect();
    writeFileSync(path, JSON.stringify(profile));
  }

  snapshot(path: string): void {
    writeHeapSnapshot(path);
  }
}
