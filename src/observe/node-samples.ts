// Samples of a node while somebody watches: the rows by which its switch sends them, the receiver, and who gets the events. The rows are
// compared with what is wanted every second, so that those of a reader that was killed go, and those that another program has removed
// come again.

import type { Clock } from "../lib/clock.ts";
import { endsWithin, pause } from "../lib/deadline.ts";
import type { Logger } from "../lib/logger.ts";
import { Decoder } from "./decode/decoder.ts";
import type { SampleSource } from "./decode/source.ts";
import type { IpfixRecord } from "./ipfix/records.ts";
import type { ReceiverCounts } from "./ipfix/receiver.ts";
import { IpfixReceiver } from "./ipfix/receiver.ts";
import { sampledPacket } from "./ipfix/sampled-packet.ts";
import type { CollectorRows } from "./openvswitch/collector-rows.ts";
import { Hub } from "./watching/hub.ts";

/** How often the rows are compared. */
const lookMs = 1_000;
/** The rows stay so long after the last watcher: each change of them makes the switch write the flows of all rules again. */
export const lingerMs = 60_000;
/** At the end. */
const removalMs = 5_000;

/** northd of OVN 25.03 takes the lowest 8 bits of Sample_Collector.set_id alone, into the flows. */
const mostSetId = 255;

function tooLarge(setId: number): string {
  return `set_id ${setId} of the Sample_Collector is above ${mostSetId}: OVN up to 25.03 sends the samples to set ${setId % (mostSetId + 1)}, where nobody listens`;
}

export interface NodeSamplesOptions {
  readonly source: SampleSource;
  readonly rows: CollectorRows;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface SampleCounts extends ReceiverCounts {
  /** Samples that say of a packet what one before has said, or are not of a rule's. */
  repeated: number;
  /** Samples whose number is none of a rule. */
  unknown: number;
  /** Records that are about no packet of IP. */
  other: number;
}

export class NodeSamples {
  readonly hub: Hub;
  readonly #options: NodeSamplesOptions;
  readonly #decoder: Decoder;
  readonly #ending = new AbortController();
  readonly #own = { repeated: 0, unknown: 0, other: 0 };
  #receiver: IpfixReceiver | null = null;
  #running: Promise<void> = Promise.resolve();
  /** When the last watcher left; null: somebody watches, or nobody has. */
  #leftMs: number | null = null;
  #failure: string | null = null;

  constructor(options: NodeSamplesOptions) {
    this.#options = options;
    this.#decoder = new Decoder(options.source);
    this.hub = new Hub((watchers) => {
      this.#leftMs = watchers === 0 ? options.clock.now() : null;
    });
  }

  get counts(): SampleCounts | null {
    return this.#receiver === null ? null : { ...this.#receiver.counts, ...this.#own };
  }

  /** Why nothing is seen, one sentence each. */
  notes(): readonly string[] {
    const { source, rows } = this.#options;
    const { setId } = source;
    const none = setId === null && source.faults().length === 0;
    return [
      ...source.faults(),
      ...rows.faults(),
      ...(none
        ? ["no rows of the Northbound database are sampled: northgate run needs --observe samples"]
        : []),
      ...(setId === null || setId <= mostSetId ? [] : [tooLarge(setId)]),
      ...(this.#failure === null ? [] : [this.#failure]),
    ];
  }

  /** Rejects when no port can be opened. `fatal`: is called for a bug. */
  async start(fatal: (error: unknown) => void): Promise<void> {
    this.#receiver = await IpfixReceiver.open(0, this.#options.clock, (record) => {
      this.#take(record);
    });
    this.#running = this.#run().catch(fatal);
  }

  /** The rows are removed then, where the database answers in time. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    const { rows, clock } = this.#options;
    await endsWithin(clock, removalMs, this.#become(false));
    await Promise.all([rows.close(), this.#receiver?.close()]);
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#become(this.#isWatched());
      await pause(clock, lookMs, signal);
    }
  }

  #isWatched(): boolean {
    if (this.hub.watchers > 0) return true;
    return this.#leftMs !== null && this.#options.clock.now() - this.#leftMs < lingerMs;
  }

  async #become(isWatched: boolean): Promise<void> {
    const { rows, source, logger } = this.#options;
    const { setId } = source;
    const target = this.#receiver?.target;
    try {
      await rows.become(isWatched && setId !== null && target !== undefined ? { setId, target } : null);
      this.#failure = null;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const failure = `the rows of Open vSwitch cannot be written: ${error.message}`;
      if (failure !== this.#failure)
        logger.warn("the rows of Open vSwitch cannot be written", { reason: error.message });
      this.#failure = failure;
    }
  }

  #take(record: IpfixRecord): void {
    const packet = sampledPacket(record);
    if (packet === null) {
      this.#own.other++;
      return;
    }
    const event = this.#decoder.decode(packet);
    if (event === null) this.#own.repeated++;
    else {
      if (event.rule === null) this.#own.unknown++;
      this.hub.add(event);
    }
  }
}
