// The objects of a cluster as they were at each time of a run: all changes that a watch of the API server has reported, each with the
// time of its report. Invariant: the times never fall.

import { installed } from "../../../src/dialects.ts";
import { HttpApi, KubeSource, openKubeconfig } from "../../../src/kube/index.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLogger } from "../../../src/lib/logger.ts";
import type { ObjectChange } from "../../../src/offline/model.ts";
import { kindFlags } from "../../../test/support/dialects.ts";

/** What the cluster's northgate follows, too. */
export const followed = installed(kindFlags({ networkPolicy: true }));

export interface TimedChange extends ObjectChange {
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

export class History {
  readonly changes: TimedChange[] = [];
  readonly #api: HttpApi;
  readonly #source: KubeSource;
  #fault: Error | null = null;

  private constructor(api: HttpApi) {
    this.#api = api;
    this.#source = new KubeSource({
      ...{ api, clock: systemClock, random: Math.random, logger: silentLogger },
      ...{ policies: followed.policies, references: followed.references, missingIsEmpty: true },
      fatal: (error) => {
        this.#fault ??= new Error("the watch has failed", { cause: error });
      },
    });
  }

  /** Begins with all objects that there are when it resolves. */
  static async begin(kubeconfig: string): Promise<History> {
    const credentials = await openKubeconfig({ path: kubeconfig });
    const history = new History(new HttpApi({ credentials, clock: systemClock }));
    await new Promise<void>((synced) => {
      history.#source.start({
        synced,
        changed: (key) => {
          history.changes.push({ atMs: Date.now(), key, object: history.#source.read(key) });
        },
        problem: ({ place, problem }) => {
          history.#fault ??= new Error(`${place}: ${problem.message}`);
        },
      });
    });
    return history;
  }

  /** Throws what has gone wrong: a history with a gap is none. */
  async end(): Promise<void> {
    await this.#source.stop();
    this.#api.close();
    if (this.#fault !== null) throw this.#fault;
  }
}
