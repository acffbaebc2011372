// Sends transactions: each is encoded in slices, so that a large one does not block the event loop, and all are written
// in the order of the calls, so that none overtakes another.

import type { Clock } from "../lib/clock.ts";
import { Pace } from "../lib/pace.ts";
import type { OperationCodec } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { JsonBytes } from "./json-bytes.ts";
import type { Operation } from "./operation.ts";

/** What a ready session has. */
export interface Link {
  readonly connection: Connection;
  readonly codec: OperationCodec;
}

/** Characters of one part: few parts, each quick to make. */
const partLength = 1 << 16;

export class Outbox {
  readonly #clock: Clock;
  /** Settles when all transactions given so far are written, or cannot be written any more. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves with the server's response. Rejects as `Connection.request`, and with TypeError for what cannot be
   * encoded.
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
      answer = connection.request("transact", [database, ...parts]);
    } finally {
      written.resolve(undefined);
    }
    return await answer;
  }

  async #encode(codec: OperationCodec, operations: readonly Operation[]): Promise<readonly JsonBytes[]> {
    const pace = new Pace(this.#clock);
    const parts: JsonBytes[] = [];
    let texts: string[] = [];
    let length = 0;
    for (const operation of operations) {
      const text = JSON.stringify(codec.encode(operation));
      texts.push(text);
      length += text.length;
      if (length > partLength) {
        parts.push(new JsonBytes(texts));
        texts = [];
        length = 0;
      }
      if (pace.isDue) await pace.rest();
    }
    if (texts.length > 0) parts.push(new JsonBytes(texts));
    return parts;
  }
}
