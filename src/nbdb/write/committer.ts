// From pending units to transactions. Whatever takes effect is one transaction, so that no packet sees a state between the
// old and the new one; before a large one its new rows are written ahead, inert and in pieces, so that the server's other
// clients are served in between. A refused one is split until the units that the database refuses stand alone; units are
// written in the order in which they are given. What is to be written of a unit is asked of a UnitSource.

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { Pace } from "../../lib/pace.ts";
import type { Problem } from "../../model/problem.ts";
import type { TransactionError } from "../../ovsdb/errors.ts";
import type { Operation } from "../../ovsdb/operation.ts";
import type { Piece } from "../plan/context.ts";
import type { UnitKey } from "../rows/unit.ts";
import type { NorthboundView, NorthboundWriter } from "./northbound-writer.ts";
import { isRefusal, isWriteFailure } from "./northbound-writer.ts";

/** Hears of every transaction that the database acknowledged, and how long it took. */
export type Committed = (operations: readonly Operation[], milliseconds: number) => void;

/** Where the committer's operations come from. */
export interface UnitSource {
  /**
   * Plans a unit against the cache as it is now and calls it clean; null when there is nothing to be planned. `newName`
   * gives names for inserted rows, unique in their transaction.
   */
  plan(unit: UnitKey, newName: () => string): readonly Operation[] | null;
  /** The unit's rows that may be written ahead, one after the other as they are asked for; null when there are none. */
  prewrite(unit: UnitKey, newName: () => string): Prewrite | null;
  /** The operations are about to be sent. */
  sending(operations: readonly Operation[]): void;
  /** The unit's rows are not as planned: it is to be looked at whole again. */
  notWritten(unit: UnitKey): void;
}

export interface CommitterOptions {
  readonly session: Pick<NorthboundView, "ready">;
  readonly writer: NorthboundWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly committed?: Committed;
  readonly units: UnitSource;
  /** Above how many elements and rows new rows are written ahead, in transactions of no more. */
  readonly transactionWeight?: number;
}

/** What became of units, collected over the transactions of one commit. */
export interface Ledger {
  readonly settled: Set<UnitKey>;
  readonly refused: Map<UnitKey, Problem>;
}

export interface Prewrite {
  /** Of all pieces, at the most. */
  readonly weight: number;
  readonly pieces: Iterable<Piece>;
}

interface Batch {
  readonly keys: readonly UnitKey[];
  readonly operations: readonly Operation[];
}

/** Some 2 MB; the server takes about 50 ms for it, and its other clients wait so long. */
const defaultTransactionWeight = 100_000;
/** Of what is written ahead: small enough that the server has something to do while the next piece is rendered and the last read. */
const pieceWeight = 10_000;

export class Committer {
  readonly #options: CommitterOptions;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Returns why it stopped early, in one sentence, or null. */
  async commit(keys: readonly UnitKey[], ledger: Ledger): Promise<string | null> {
    if (!this.#options.session.ready) return "not connected to the Northbound database";
    const interrupted = await this.#prewrite(keys);
    return interrupted ?? (await this.#write(await this.#batch(keys), ledger));
  }

  /** Plans in slices: facts hold still during a commit. What the database changes meanwhile is pending for the next round. */
  async #batch(keys: readonly UnitKey[]): Promise<Batch> {
    const planned: UnitKey[] = [];
    const operations: Operation[] = [];
    const newName = rowNames();
    const pace = new Pace(this.#options.clock);
    for (const key of keys) {
      if (pace.isDue) await pace.rest();
      const plan = this.#options.units.plan(key, newName);
      if (plan === null) continue;
      planned.push(key);
      for (const operation of plan) operations.push(operation);
    }
    return { keys: planned, operations };
  }

  /** Returns why the commit cannot go on. What the database refuses here it refuses again where it can be told of whom. */
  async #prewrite(keys: readonly UnitKey[]): Promise<string | null> {
    const limit = this.#options.transactionWeight ?? defaultTransactionWeight;
    const newName = rowNames();
    const all = keys.flatMap((key) => this.#options.units.prewrite(key, newName) ?? []);
    if (all.reduce((sum, { weight }) => sum + weight, 0) <= limit) return null;
    let answered: Promise<string | null> = Promise.resolve(null);
    for (const operations of grouped(all, Math.min(limit, pieceWeight))) {
      const sent = this.#send(operations).then(() => null, troubleOf);
      // The next piece is rendered while the server works on this one.
      const trouble = await answered;
      answered = sent;
      if (trouble !== null) return trouble;
    }
    return await answered;
  }

  async #write({ keys, operations }: Batch, ledger: Ledger): Promise<string | null> {
    try {
      if (operations.length > 0) await this.#send(operations);
      for (const key of keys) ledger.settled.add(key);
      return null;
    } catch (error) {
      for (const key of keys) this.#options.units.notWritten(key);
      if (!isWriteFailure(error)) throw error;
      return isRefusal(error) ? await this.#split(keys, error, ledger) : error.message;
    }
  }

  async #send(operations: readonly Operation[]): Promise<void> {
    const { writer, clock, committed, units } = this.#options;
    units.sending(operations);
    const started = clock.now();
    await writer.transact(operations);
    committed?.(operations, clock.now() - started);
  }

  /** Halves a refused batch until the units that the database refuses stand alone; the others land. */
  async #split(keys: readonly UnitKey[], error: TransactionError, ledger: Ledger): Promise<string | null> {
    const [only] = keys;
    if (only !== undefined && keys.length === 1) {
      ledger.settled.delete(only);
      ledger.refused.set(only, refusal(error));
      this.#options.logger.debug("a unit's rows were refused", { unit: only, error: error.message });
      return null;
    }
    const middle = Math.ceil(keys.length / 2);
    const first = await this.commit(keys.slice(0, middle), ledger);
    return first ?? (await this.commit(keys.slice(middle), ledger));
  }
}

/** What keeps a commit from going on; null: the rows themselves were refused. Throws what is no failure of the world's. */
function troubleOf(error: unknown): string | null {
  if (!isWriteFailure(error)) throw error;
  return isRefusal(error) ? null : error.message;
}

/** Names for inserted rows, none twice. */
function rowNames(): () => string {
  let names = 0;
  return () => `row${names++}`;
}

/** Pieces in their order, as many in a transaction as its weight allows. */
function* grouped(all: readonly Prewrite[], limit: number): Generator<readonly Operation[]> {
  let operations: Operation[] = [];
  let weight = 0;
  for (const { pieces } of all) {
    for (const piece of pieces) {
      if (weight > 0 && weight + piece.weight > limit) {
        yield operations;
        operations = [];
        weight = 0;
      }
      for (const operation of piece.operations) operations.push(operation);
      weight += piece.weight;
    }
  }
  if (operations.length > 0) yield operations;
}

/**
 * The server's first sentence, without the uuids of rows: what follows, and they, differ with every try, and the same
 * refusal is told once. The log has all of it at level debug.
 */
function refusal(error: TransactionError): Problem {
  const [sentence = error.kind] = error.message.split(/\.\s/);
  const reason = sentence.replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "(uuid)");
  return {
    code: "RowRefused",
    severity: "error",
    field: "",
    message: `the Northbound database refused the rows: ${reason}`,
  };
}
