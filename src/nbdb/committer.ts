// From dirty policies to transactions: one for as many policies as its size allows, in pieces where the database refuses,
// until the policies that it refuses stand alone. Who is dirty and what is to be written is asked of its owner.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Problem } from "../model/problem.ts";
import { ConnectionLostError, TransactionError } from "../ovsdb/errors.ts";
import type { Operation } from "../ovsdb/operation.ts";
import type { Session } from "../ovsdb/session.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Plan } from "./plan-context.ts";
import type { Northbound } from "./schema.ts";

/** Hears of every transaction that the database acknowledged, and how long it took. */
export type Committed = (operations: readonly Operation[], milliseconds: number) => void;

export interface CommitterOptions {
  readonly session: Session<Northbound>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly committed?: Committed;
  /**
   * Plans a policy against the cache as it is now and calls it clean; null when there is nothing to be planned. `name`
   * gives names for inserted rows, unique in their transaction.
   */
  readonly plan: (key: PolicyKey, name: () => string) => Plan | null;
  /** The policy's rows are not as planned: it is to be looked at whole again. */
  readonly soil: (key: PolicyKey) => void;
}

/** What became of policies, collected over the transactions of one commit. */
export interface Ledger {
  readonly settled: Set<PolicyKey>;
  readonly refused: Map<PolicyKey, Problem>;
}

interface Batch {
  readonly keys: readonly PolicyKey[];
  readonly operations: readonly Operation[];
}

/** Elements and rows in one transaction, so that a large start does not starve the server's other clients. */
const transactionWeight = 100_000;

/** Refusals that say nothing about the rows: the server's own trouble, RFC 7047 section 4.1.3. */
const serverTrouble: ReadonlySet<string> = new Set([
  "I/O error",
  "resources exhausted",
  "canceled",
  "not owner",
]);

export class Committer {
  readonly #options: CommitterOptions;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Returns why it stopped early, in one sentence, or null. */
  async commit(keys: readonly PolicyKey[], ledger: Ledger): Promise<string | null> {
    const waiting = [...keys];
    while (waiting.length > 0) {
      if (!this.#options.session.ready) return "not connected to the Northbound database";
      const interrupted = await this.#write(this.#batch(waiting), ledger);
      if (interrupted !== null) return interrupted;
    }
    return null;
  }

  /** Takes policies off the list until their operations make a transaction. Reads facts and plans without a pause. */
  #batch(waiting: PolicyKey[]): Batch {
    const keys: PolicyKey[] = [];
    const operations: Operation[] = [];
    let weight = 0;
    let names = 0;
    while (weight < transactionWeight) {
      const key = waiting.shift();
      if (key === undefined) break;
      const plan = this.#options.plan(key, () => `row${names++}`);
      if (plan === null) continue;
      keys.push(key);
      operations.push(...plan.operations);
      weight += plan.weight;
    }
    return { keys, operations };
  }

  async #write({ keys, operations }: Batch, ledger: Ledger): Promise<string | null> {
    try {
      if (operations.length > 0) await this.#transact(operations);
      for (const key of keys) ledger.settled.add(key);
      return null;
    } catch (error) {
      for (const key of keys) this.#options.soil(key);
      if (error instanceof ConnectionLostError) return error.message;
      if (!(error instanceof TransactionError)) throw error;
      if (serverTrouble.has(error.kind)) return error.message;
      return await this.#split(keys, error, ledger);
    }
  }

  async #transact(operations: readonly Operation[]): Promise<void> {
    const { session, clock, committed } = this.#options;
    const started = clock.now();
    await session.transact(operations);
    committed?.(operations, clock.now() - started);
  }

  /** Halves a refused batch until the policies that the database refuses stand alone; the others land. */
  async #split(keys: readonly PolicyKey[], error: TransactionError, ledger: Ledger): Promise<string | null> {
    const [only] = keys;
    if (only !== undefined && keys.length === 1) {
      ledger.settled.delete(only);
      ledger.refused.set(only, refusal(error));
      this.#options.logger.debug("a policy's rows were refused", { policy: only, error: error.message });
      return null;
    }
    const middle = Math.ceil(keys.length / 2);
    const first = await this.commit(keys.slice(0, middle), ledger);
    return first ?? (await this.commit(keys.slice(middle), ledger));
  }
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
