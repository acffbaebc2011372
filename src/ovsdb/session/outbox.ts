// Sends transactions: each is encoded in slices, so that a large one does not block the event loop, and all are written
// in the order of the calls, so that none overtakes another.

import { Pace } from "../../lib/pace.ts";
import type { OperationCodec } from "../notation/codec.ts";
import type { Connection } from "../wire/connection.ts";
import type { Limit } from "../wire/pending-requests.ts";
import { JsonPart } from "../wire/json-bytes.ts";
import type { Operation } from "../notation/operation.ts";
import type { Settings } from "./options.ts";

/** What a ready session has. */
export interface Link {
  readonly connection: Connection;
  readonly codec: OperationCodec;
}

/** Characters of one part: few parts, each quick to make. */
const partLength = 1 << 16;

/** A request takes longer to send and to do the longer it is; slow, so that only a mute peer is slower. */
const slowestBytesPerMs = 1024;

export type OutboxOptions = Pick<Settings, "clock" | "logger" | "answerTimeoutMs">;

export class Outbox {
  readonly #options: OutboxOptions;
  /** Settles when all transactions given so far are written, or cannot be written any more. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the server's response. Rejects as `Connection.request`, and with TypeError for what cannot be
   * encoded. The connection ends when no answer arrives for `answerTimeoutMs`, the time that `wait` operations ask for, and
   * what the length of the transaction adds.
   */
  async transact(
    { codec, connection }: Link,
    database: string,
    operations: readonly Operation[],
  ): Promise<unknown> {
    const before = this.#written;
    const written = Promise.withResolvers<undefined>();
    this.#written = written.promise;
    await before;
    let answer: Promise<unknown>;
    try {
      const parts = await this.#encode(codec, operations);
      answer = connection.request("transact", [database, ...parts], this.#limitOf(operations, parts));
    } finally {
      written.resolve(undefined);
    }
    return await answer;
  }

  async #encode(codec: OperationCodec, operations: readonly Operation[]): Promise<readonly JsonPart[]> {
    const pace = new Pace(this.#options.clock);
    const parts: JsonPart[] = [];
    let texts: string[] = [];
    let length = 0;
    for (const operation of operations) {
      const text = JSON.stringify(codec.encode(operation));
      texts.push(text);
      length += text.length;
      if (length > partLength) {
        parts.push(new JsonPart(texts));
        texts = [];
        length = 0;
      }
      if (pace.isDue) await pace.rest();
    }
    if (texts.length > 0) parts.push(new JsonPart(texts));
    return parts;
  }

  #limitOf(operations: readonly Operation[], parts: readonly JsonPart[]): Limit {
    const { answerTimeoutMs, logger } = this.#options;
    const waits = operations.reduce((sum, one) => sum + (one.op === "wait" ? one.timeoutMs : 0), 0);
    const length = parts.reduce((sum, { json }) => sum + json.length, 0);
    return {
      limitMs: answerTimeoutMs <= 0 ? 0 : answerTimeoutMs + waits + length / slowestBytesPerMs,
      overdue: (milliseconds) => {
        logger.warn("a transaction was not answered: its outcome is unknown, and the connection is closed", {
          milliseconds,
          operations: operations.length,
        });
      },
    };
  }
}
