// Writes pending units in transactions. Everything that takes effect is one transaction, so that no packet sees a state
// between old and new. Before a large one, its new rows are written ahead in pieces without effect, so that the server
// can serve its other clients in between. Where nothing of ours is in force, many units go in the order of evaluation
// instead, in small transactions that take effect. A refused transaction is split until each refused unit is alone. Units
// are written in the given order; a UnitSource gives their operations.

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { BatchEnd } from "../../contents/halving.ts";
import { writeHalving } from "../../contents/halving.ts";
import { Pace } from "../../lib/pace.ts";
import type { Problem } from "../../model/problem.ts";
import type { TransactionError } from "../../ovsdb/notation/errors.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { UnitKey } from "../rows/unit.ts";
import { sendAhead } from "./ahead.ts";
import { sendInOrder } from "./in-order.ts";
import type { NorthboundView, NorthboundWriter, WriteFailure } from "./northbound-writer.ts";
import { isRefusal, isWriteFailure } from "./northbound-writer.ts";
import { rowNames } from "./row-names.ts";
import type { Ledger } from "./ledger.ts";
import type { Batch, UnitSource } from "./unit-source.ts";

/** Called after every transaction that the database acknowledged, with its duration. */
export type Committed = (operations: readonly Operation[], milliseconds: number) => void;

export interface CommitterOptions {
  readonly session: Pick<NorthboundView, "ready">;
  readonly writer: NorthboundWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly committed?: Committed;
  readonly units: UnitSource;
  /** A commit with more new elements and rows than this writes them ahead, in transactions of at most this size. */
  readonly transactionWeight?: number;
  /** Where nothing of ours is in force, a commit with more than this goes in order, in transactions of at most this size. */
  readonly orderedWeight?: number;
}

/** Some 2 MB; the server takes about 50 ms for it, while its other clients wait. */
const defaultTransactionWeight = 100_000;
/**
 * The weight of a transaction of many: small enough that the server is busy while we render the next piece and
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
    const weight = await this.#weightOf(keys);
    const groups = weight > this.#orderedWeight ? this.#groupsInOrder(keys) : null;
    const failure = groups === null ? null : await this.#writeInOrder(groups, ledger);
    if (failure !== null && !isRefusal(failure)) return failure.message;
    if (groups !== null && failure === null) return null;
    return await writeHalving(keys, {
      write: (some) => this.#writeAtOnce(some, ledger),
      refuse: (unit, error: TransactionError) => {
        ledger.refuse(unit, refusal(error));
        this.#options.logger.debug("a unit's rows were refused", { unit, error: error.message });
      },
      makeRoom: (some) => this.#makeRoom(some, ledger),
    });
  }

  /** What takes effect is one transaction. */
  async #writeAtOnce(keys: readonly UnitKey[], ledger: Ledger): Promise<BatchEnd<UnitKey, TransactionError>> {
    const weight = await this.#weightOf(keys);
    const interrupted = weight > this.#transactionWeight ? await this.#prewrite(keys) : null;
    if (interrupted !== null) return { kind: "stopped", why: interrupted };
    const batch = await this.#batch(keys, ledger);
    const [failure] = await Promise.all([this.#attempt(batch, ledger), this.#follow(batch, ledger)]);
    if (failure === null) return { kind: "written" };
    if (isRefusal(failure)) return { kind: "refused", units: batch.keys, why: failure };
    return { kind: "stopped", why: failure.message };
  }

  get #transactionWeight(): number {
    return this.#options.transactionWeight ?? defaultTransactionWeight;
  }

  get #orderedWeight(): number {
    return this.#options.orderedWeight ?? pieceWeight;
  }

  /**
   * Null: all must take effect at once, or what must take effect together is too large for one transaction. Where most groups fill
   * one each, writing ahead is as fast.
   */
  #groupsInOrder(keys: readonly UnitKey[]): readonly (readonly UnitKey[])[] | null {
    const { units } = this.#options;
    const groups = units.inOrder(keys) ?? [];
    const weights = groups.map((group) => group.reduce((sum, unit) => sum + units.prewriteWeight(unit), 0));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const fits = weights.every((weight) => weight <= defaultTransactionWeight);
    return fits && total <= groups.length * pieceWeight && groups.length > 0 ? groups : null;
  }

  /** Ends with the first trouble. What was not written is still pending. */
  async #writeInOrder(groups: readonly (readonly UnitKey[])[], ledger: Ledger): Promise<WriteFailure | null> {
    return await sendInOrder(groups, {
      clock: this.#options.clock,
      mostWeight: this.#orderedWeight,
      weightOf: (unit) => this.#options.units.prewriteWeight(unit),
      plan: (unit, newName, operations) => this.#plan(unit, newName, operations, ledger),
      notSent: (unit) => {
        this.#options.units.notWritten(unit);
      },
      attempt: ({ operations, units }, guards) => this.#attempt({ keys: units, operations }, ledger, guards),
    });
  }

  /** Of the rows that may be written ahead, or enough of it to know that it is too much for one transaction. */
  async #weightOf(keys: readonly UnitKey[]): Promise<number> {
    const pace = new Pace(this.#options.clock);
    let weight = 0;
    for (const key of keys) {
      if (weight > Math.max(this.#transactionWeight, this.#orderedWeight)) break;
      if (pace.isDue) await pace.rest();
      weight += this.#options.units.prewriteWeight(key);
    }
    return weight;
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
      if (this.#plan(key, newName, operations, ledger)) planned.push(key);
    }
    // Sending a large one begins with a look at each operation, in a turn of its own.
    if (operations.length > operationsPerTurn) await pace.rest();
    return { keys: planned, operations };
  }

  /** Adds the unit's operations, unless nothing is pending or it clashes; whether it did. */
  #plan(unit: UnitKey, newName: () => string, operations: Operation[], ledger: Ledger): boolean {
    const clash = this.#options.units.clash(unit);
    if (clash !== null) {
      ledger.refuse(unit, clash);
      return false;
    }
    const plan = this.#options.units.plan(unit, newName);
    for (const operation of plan ?? []) operations.push(operation);
    return plan !== null;
  }

  /**
   * Returns why the commit must stop. Rows that the database refuses here it refuses again in the main transaction,
   * which finds their unit.
   */
  async #prewrite(keys: readonly UnitKey[]): Promise<string | null> {
    const newName = rowNames();
    const pieces = Iterator.from(keys).flatMap((key) => this.#options.units.prewrite(key, newName));
    return sendAhead(pieces, Math.min(this.#transactionWeight, pieceWeight), ({ operations }) =>
      this.#send(operations).then(() => null, troubleOf),
    );
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
      ledger.settle(keys);
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
   * others take their places, so that in no half one precedes another. The units that take them are in the same transaction, or,
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
}

/** Why a commit must stop; null: the database refused the rows themselves. Rethrows our own bugs. */
function troubleOf(error: unknown): string | null {
  if (!isWriteFailure(error)) throw error;
  return isRefusal(error) ? null : error.message;
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
