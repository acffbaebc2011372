// Writes pending units in transactions. Everything that takes effect is one transaction, so that no packet sees a state
// between old and new. Before a large one, its new rows are written ahead in pieces without effect, so that the server
// can serve its other clients in between. A refused transaction is split until each refused unit stands alone. Units
// are written in the given order; a UnitSource gives their operations.

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { Pace } from "../../lib/pace.ts";
import type { Problem } from "../../model/problem.ts";
import type { TransactionError } from "../../ovsdb/errors.ts";
import type { Operation } from "../../ovsdb/operation.ts";
import type { Piece } from "../plan/context.ts";
import type { Exchange } from "../plan/moves.ts";
import type { UnitKey } from "../rows/unit.ts";
import { sendAhead } from "./ahead.ts";
import type { NorthboundView, NorthboundWriter, WriteFailure } from "./northbound-writer.ts";
import { isRefusal, isWriteFailure } from "./northbound-writer.ts";

/** Called after every transaction that the database acknowledged, with its duration. */
export type Committed = (operations: readonly Operation[], milliseconds: number) => void;

/** The source of the committer's operations. */
export interface UnitSource {
  /**
   * Plans a unit against the present cache and clears what is pending of it; null when nothing is pending. `newName`
   * gives names for inserted rows, unique in their transaction.
   */
  plan(unit: UnitKey, newName: () => string): readonly Operation[] | null;
  /** Why the unit must not be written, before the database is asked; null: nothing is known against it. */
  clash(unit: UnitKey): Problem | null;
  /** An upper bound of the weight of all that `prewrite` gives; walks no member. */
  prewriteWeight(unit: UnitKey): number;
  /** The unit's rows that may be written ahead, planned one by one as the caller asks for them. */
  prewrite(unit: UnitKey, newName: () => string): Iterable<Piece>;
  /** Gives the rows that stand of the units the places that they have now, and changes nothing else of them. */
  moves(units: readonly UnitKey[]): readonly Operation[];
  /** Of the units, policies that go and those that come to stand where they stand: they must change together. */
  exchange(units: readonly UnitKey[]): Exchange;
  /** Whether a shared unit is to be deleted that the round does not hold. */
  hasLeaving(): boolean;
  /**
   * Plans the deletion of shared units whose last users go with the operations, which are under way. Guarded, so that the
   * database refuses it when the operations are not done.
   */
  planFollowing(operations: readonly Operation[]): Following;
  /** The operations are about to be sent. */
  sending(operations: readonly Operation[]): void;
  /** The unit's rows were not written as planned: the whole unit must be compared again. */
  notWritten(unit: UnitKey): void;
}

export interface CommitterOptions {
  readonly session: Pick<NorthboundView, "ready">;
  readonly writer: NorthboundWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly committed?: Committed;
  readonly units: UnitSource;
  /** A commit with more new elements and rows than this writes them ahead, in transactions of at most this size. */
  readonly transactionWeight?: number;
}

/** The results for units, collected over the transactions of one commit. */
export interface Ledger {
  readonly settled: Set<UnitKey>;
  readonly refused: Map<UnitKey, Problem>;
}

interface Batch {
  readonly keys: readonly UnitKey[];
  readonly operations: readonly Operation[];
}

/** A batch that is sent behind another, without waiting for the answer. */
export interface Following extends Batch {
  /** Preconditions: what the other batch must have done. */
  readonly guards: readonly Operation[];
}

/** Some 2 MB; the server takes about 50 ms for it, while its other clients wait. */
const defaultTransactionWeight = 100_000;
/**
 * The weight of a transaction written ahead: small enough that the server is busy while we render the next piece and
 * read its updates of the last one.
 */
const pieceWeight = 10_000;
/** So many operations are planned and given away in one turn of the event loop, in some milliseconds. */
const operationsPerTurn = 1000;

export class Committer {
  readonly #options: CommitterOptions;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Returns why it stopped early, in one sentence, or null. */
  async commit(keys: readonly UnitKey[], ledger: Ledger): Promise<string | null> {
    if (!this.#options.session.ready) return "not connected to the Northbound database";
    const interrupted = await this.#prewrite(keys);
    return interrupted ?? (await this.#write(await this.#batch(keys, ledger), ledger));
  }

  /**
   * Plans in slices: facts do not change during a commit. What the database changes meanwhile becomes pending for the
   * next round.
   */
  async #batch(keys: readonly UnitKey[], ledger: Ledger): Promise<Batch> {
    const planned: UnitKey[] = [];
    const operations: Operation[] = [];
    const newName = rowNames();
    const pace = new Pace(this.#options.clock);
    for (const key of keys) {
      if (pace.isDue) await pace.rest();
      const clash = this.#options.units.clash(key);
      if (clash !== null) {
        ledger.refused.set(key, clash);
        continue;
      }
      const plan = this.#options.units.plan(key, newName);
      if (plan === null) continue;
      planned.push(key);
      for (const operation of plan) operations.push(operation);
    }
    // Sending a large one begins with a look at each operation, in a turn of its own.
    if (operations.length > operationsPerTurn) await pace.rest();
    return { keys: planned, operations };
  }

  /**
   * Returns why the commit must stop. Rows that the database refuses here it refuses again in the main transaction,
   * which finds their unit.
   */
  async #prewrite(keys: readonly UnitKey[]): Promise<string | null> {
    const limit = this.#options.transactionWeight ?? defaultTransactionWeight;
    const newName = rowNames();
    const pace = new Pace(this.#options.clock);
    let weight = 0;
    for (const key of keys) {
      if (weight > limit) break;
      if (pace.isDue) await pace.rest();
      weight += this.#options.units.prewriteWeight(key);
    }
    if (weight <= limit) return null;
    const pieces = Iterator.from(keys).flatMap((key) => this.#options.units.prewrite(key, newName));
    return sendAhead(pieces, Math.min(limit, pieceWeight), (operations) =>
      this.#send(operations).then(() => null, troubleOf),
    );
  }

  async #write(batch: Batch, ledger: Ledger): Promise<string | null> {
    const [failure] = await Promise.all([this.#attempt(batch, ledger), this.#follow(batch, ledger)]);
    if (failure === null) return null;
    return isRefusal(failure) ? await this.#split(batch.keys, failure, ledger) : failure.message;
  }

  /** Sends what follows the batch behind it. Where the database refuses that, it has a round of its own. */
  async #follow({ operations }: Batch, ledger: Ledger): Promise<void> {
    const { units, clock } = this.#options;
    if (operations.length === 0 || !units.hasLeaving()) return;
    // The batch is on its way first.
    await new Pace(clock).rest();
    const following = units.planFollowing(operations);
    await this.#attempt(following, ledger, following.guards);
  }

  /** Null: it is written. */
  async #attempt(
    { keys, operations }: Batch,
    ledger: Ledger,
    guards: readonly Operation[] = [],
  ): Promise<WriteFailure | null> {
    try {
      if (operations.length > 0) await this.#send(operations, guards);
      for (const key of keys) ledger.settled.add(key);
      return null;
    } catch (error) {
      for (const key of keys) this.#options.units.notWritten(key);
      if (!isWriteFailure(error)) throw error;
      return error;
    }
  }

  async #send(operations: readonly Operation[], guards: readonly Operation[] = []): Promise<void> {
    const { writer, clock, committed, units } = this.#options;
    units.sending(operations);
    const started = clock.now();
    await writer.transact(operations, guards);
    committed?.(operations, clock.now() - started);
  }

  /**
   * Before a batch is split: policies that make room for one another move together, and those that go leave with them where
   * others take their places, so that in no half one stands over another. Who takes them comes in the same transaction, or,
   * when the database refuses that, later. Returns the units that are left, or why the commit must stop.
   */
  async #makeRoom(keys: readonly UnitKey[], ledger: Ledger): Promise<readonly UnitKey[] | string> {
    const { units } = this.#options;
    const { gone, taking } = units.exchange(keys);
    const attempts = gone.length === 0 ? [gone] : [[...gone, ...taking], gone];
    for (const some of attempts) {
      const together = new Set(some);
      const left = keys.filter((key) => !together.has(key));
      const { keys: planned, operations } = await this.#batch([...together], ledger);
      const batch = { keys: planned, operations: [...units.moves(left), ...operations] };
      const failure = await this.#attempt(batch, ledger);
      if (failure === null) return left;
      if (!isRefusal(failure)) return failure.message;
    }
    return keys;
  }

  /** Halves a refused batch until each refused unit stands alone; the others are written. */
  async #split(keys: readonly UnitKey[], error: TransactionError, ledger: Ledger): Promise<string | null> {
    const [only] = keys;
    if (only !== undefined && keys.length === 1) {
      ledger.settled.delete(only);
      ledger.refused.set(only, refusal(error));
      this.#options.logger.debug("a unit's rows were refused", { unit: only, error: error.message });
      return null;
    }
    const left = await this.#makeRoom(keys, ledger);
    if (typeof left === "string") return left;
    const middle = Math.ceil(left.length / 2);
    const first = await this.commit(left.slice(0, middle), ledger);
    return first ?? (await this.commit(left.slice(middle), ledger));
  }
}

/** Why a commit must stop; null: the database refused the rows themselves. Rethrows our own bugs. */
function troubleOf(error: unknown): string | null {
  if (!isWriteFailure(error)) throw error;
  return isRefusal(error) ? null : error.message;
}

/** Gives a different name for each inserted row. */
function rowNames(): () => string {
  let names = 0;
  return () => `row${names++}`;
}

/**
 * The server's first sentence, without row uuids: the uuids and the later text differ with every try, and the same
 * refusal is to be reported once. The log has all of it at level debug.
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
