// Removes what an earlier run with --observe sampled ACLs with, once this program without it writes. The rows of policies
// wait for nothing here; where the removal fails it is tried again.

import type { Clock, Timer } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Election } from "../write/election.ts";
import type { NorthboundView, NorthboundWriter } from "../write/northbound-writer.ts";
import { isWriteFailure } from "../write/northbound-writer.ts";
import { findSampling, planRemoval } from "../write/sampling-removal.ts";

export interface SamplingSweepOptions {
  readonly session: Pick<NorthboundView, "ready">;
  readonly writer: NorthboundWriter;
  readonly election: Pick<Election, "leads" | "onChange">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const againMs = 10_000;

export class SamplingSweep {
  readonly #options: SamplingSweepOptions;
  /** Since this program writes, nothing of it is left. */
  #isDone = false;
  #isBusy = false;
  #again: Timer | null = null;
  #hasFailed = false;

  constructor(options: SamplingSweepOptions) {
    this.#options = options;
    options.election.onChange(() => {
      this.#isDone = false;
      this.#look();
    });
    this.#look();
  }

  stop(): void {
    this.#isDone = true;
    this.#again?.cancel();
  }

  #look(): void {
    const { session, election } = this.#options;
    this.#again?.cancel();
    this.#again = null;
    if (this.#isDone || this.#isBusy || !election.leads || !session.ready) return;
    this.#isBusy = true;
    void this.#sweep().finally(() => {
      this.#isBusy = false;
    });
  }

  async #sweep(): Promise<void> {
    const { writer, logger, clock } = this.#options;
    try {
      const found = await findSampling(writer);
      const operations = found === null ? [] : planRemoval(found);
      await writer.transact(operations);
      if (found !== null && operations.length > 0) {
        const fields = { acls: found.acls.length, operations: operations.length };
        logger.info("samples of an earlier run with --observe were removed", fields);
      }
      this.#isDone = true;
    } catch (error) {
      if (!isWriteFailure(error)) throw error;
      logger[this.#hasFailed ? "debug" : "warn"]("samples of an earlier run with --observe are left", {
        reason: error.message,
      });
      this.#hasFailed = true;
      if (!this.#isDone)
        this.#again = clock.after(againMs, () => {
          this.#look();
        });
    }
  }
}
