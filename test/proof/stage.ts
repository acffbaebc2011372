// A small cluster whose packets one file of tests sends: its rows on a real database, its pods on a real dataplane. Each test
// says which policies there are.

import { afterAll, beforeAll } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import { Cluster } from "./cluster.ts";
import { Dataplane } from "./dataplane.ts";
import { sorted } from "./worlds.ts";

export class Stage {
  readonly #facts: readonly WorldObject[];
  #cluster: Cluster | null = null;
  #dataplane: Dataplane | null = null;

  /** Opens before the first test of the group, and closes after the last. */
  constructor(facts: readonly WorldObject[], options: Parameters<typeof Cluster.open>[0] = {}) {
    this.#facts = facts;
    beforeAll(async () => {
      this.#cluster = await Cluster.open(options);
      this.#dataplane = await Dataplane.open(this.#cluster.ovn);
      await this.#cluster.connect(facts);
      await this.#dataplane.connect(sorted(facts));
    });
    afterAll(async () => {
      await this.#dataplane?.close();
      await this.#cluster?.close();
    });
  }

  get cluster(): Cluster {
    if (this.#cluster === null) throw new Error("there is a cluster only while tests run");
    return this.#cluster;
  }

  get dataplane(): Dataplane {
    if (this.#dataplane === null) throw new Error("there is a dataplane only while tests run");
    return this.#dataplane;
  }

  /** These policies and no others, programmed. */
  async policies(...objects: readonly WorldObject[]): Promise<void> {
    await this.cluster.become([...this.#facts, ...objects]);
    await this.dataplane.chassis.sync();
  }
}
