// A source over a real API server, for tests: what it tells, what it warns about, and what should have ended the program.

import { HttpApi, KubeSource, openKubeconfig } from "../../src/kube/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Logger } from "../../src/lib/logger.ts";
import type { ObjectKey, ObjectKind, WorldObject } from "../../src/model/object.ts";
import { policyKinds } from "../support/kube-world.ts";

/** A source that runs, and what a reader knows of it that is only told keys. */
export class Reader {
  readonly source: KubeSource;
  readonly api: HttpApi;
  /** What it knows from what it was told. */
  readonly known = new Map<ObjectKey, WorldObject>();
  readonly warnings: string[] = [];
  readonly faults: unknown[] = [];
  synced = false;

  static async of(kubeconfig: string, policies: readonly ObjectKind[] = policyKinds): Promise<Reader> {
    const credentials = await openKubeconfig({ path: kubeconfig });
    return new Reader(new HttpApi({ credentials, clock: systemClock }), policies);
  }

  private constructor(api: HttpApi, policies: readonly ObjectKind[]) {
    this.api = api;
    const logger: Logger = {
      debug() {},
      info() {},
      warn: (message, fields) => this.warnings.push(`${message}: ${String(fields?.["resource"])}`),
      error: (message) => this.faults.push(message),
    };
    this.source = new KubeSource({
      api,
      policies,
      clock: systemClock,
      random: Math.random,
      logger,
      fatal: (error) => this.faults.push(error),
    });
    this.source.start({
      changed: (key) => {
        const object = this.source.read(key);
        if (object === null) this.known.delete(key);
        else this.known.set(key, object);
      },
      synced: () => (this.synced = true),
      problem: (problem) => this.faults.push(problem),
    });
  }

  stats(resource: string) {
    return this.source.resources.find((state) => state.resource === resource)!.stats;
  }

  async stop(): Promise<void> {
    await this.source.stop();
    this.api.close();
  }
}
