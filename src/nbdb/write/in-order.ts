// Writes many units in the order in which they may take effect, in small transactions: the server takes for them a fraction of what
// it takes for one, and serves its other clients in between. The database itself keeps the order: each transaction waits for a row
// of the one before it, and is refused where that is missing.

import { randomUUID } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { Pace } from "../../lib/pace.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import { rowIs } from "../../ovsdb/notation/operation.ts";
import type { Piece } from "../plan/context.ts";
import type { UnitKey } from "../rows/unit.ts";
import { sendAhead } from "./ahead.ts";
import { rowNames } from "./row-names.ts";

export interface InOrderOptions<Trouble> {
  readonly clock: Clock;
  /** Of one transaction. */
  readonly mostWeight: number;
  /** An upper bound of the rows and elements that the unit adds. */
  weightOf(unit: UnitKey): number;
  /** Adds the unit's operations; false: nothing is to be written of it. */
  plan(unit: UnitKey, newName: () => string, operations: Operation[]): boolean;
  /** The unit was planned, and is not sent because of an earlier trouble. */
  notSent(unit: UnitKey): void;
  /** `guards`: preconditions, which fail unless the transaction before it was done. Null: it is written. */
  attempt(transaction: Piece, guards: readonly Operation[]): Promise<Trouble | null>;
}

/** Units of one group take effect together. Resolves as `sendAhead` does: null, or the trouble of the first transaction that has one. */
export async function sendInOrder<Trouble extends object>(
  groups: readonly (readonly UnitKey[])[],
  options: InOrderOptions<Trouble>,
): Promise<Trouble | null> {
  const source = new Pieces(groups, options);
  let guards: readonly Operation[] = [];
  const send = async (transaction: Piece): Promise<Trouble | null> => {
    const { operations, guards: next } = marked(transaction.operations, () => randomUUID() as string as Uuid);
    const answer = options.attempt({ ...transaction, operations }, guards);
    guards = next ?? guards;
    source.sent(transaction.units);
    return await answer;
  };
  const trouble = await sendAhead(source, options.mostWeight, send);
  for (const unit of source.unsent) options.notSent(unit);
  return trouble;
}

/** Planned as they are asked for, in slices. */
class Pieces implements AsyncIterable<Piece> {
  readonly #groups: readonly (readonly UnitKey[])[];
  readonly #options: Pick<InOrderOptions<unknown>, "clock" | "weightOf" | "plan">;
  readonly #unsent = new Set<UnitKey>();

  constructor(
    groups: readonly (readonly UnitKey[])[],
    options: Pick<InOrderOptions<unknown>, "clock" | "weightOf" | "plan">,
  ) {
    this.#groups = groups;
    this.#options = options;
  }

  /** Units that were planned and not sent. */
  get unsent(): ReadonlySet<UnitKey> {
    return this.#unsent;
  }

  sent(units: readonly UnitKey[]): void {
    for (const unit of units) this.#unsent.delete(unit);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Piece> {
    const { clock, weightOf, plan } = this.#options;
    const newName = rowNames();
    const pace = new Pace(clock);
    for (const group of this.#groups) {
      if (pace.isDue) await pace.rest();
      const weight = group.reduce((sum, unit) => sum + weightOf(unit), 0);
      const operations: Operation[] = [];
      const units = group.filter((unit) => plan(unit, newName, operations));
      for (const unit of units) this.#unsent.add(unit);
      if (units.length > 0) yield { operations, units, weight };
    }
  }
}

/** So long a server of a cluster may take to agree on a transaction with the others, before the next one looks for its row. */
const patienceMs = 1000;

interface Marked {
  readonly operations: readonly Operation[];
  /** They fail unless the operations were done; null: these insert no row that can exist alone. */
  readonly guards: readonly Operation[] | null;
}

/**
 * The last row inserted has a uuid of ours (OVS 2.13 and later), by which the next transaction asks for it: the server finds a row by
 * its uuid alone without a look at every other.
 */
function marked(operations: readonly Operation[], newUuid: () => Uuid): Marked {
  const at = operations.findLastIndex((one) => one.op === "insert" && one.uuidName === undefined);
  const last = operations[at];
  if (last?.op !== "insert") return { operations, guards: null };
  const uuid = newUuid();
  const wait = { columns: ["_uuid"], until: "==", rows: [{ _uuid: uuid }], timeoutMs: patienceMs } as const;
  return {
    operations: operations.with(at, { ...last, uuid }),
    guards: [{ op: "wait", table: last.table, where: rowIs(uuid), ...wait }],
  };
}
