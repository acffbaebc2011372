// The floor: the same changes of the same sets, written raw on one connection at the same times, each update as one transaction.

import { setTimeout as sleep } from "node:timers/promises";
import type { Prepared } from "../observer/wire.ts";
import { Wire } from "../observer/wire.ts";
import { transaction } from "../run/database.ts";
import type { Ledger } from "./ledger.ts";
import type { SetsChange } from "./sets-sight.ts";

/** The rows as they were before the first of the changes. */
export type Before = ReadonlyMap<string, readonly string[]>;

export class Floor {
  readonly #wire: Wire;
  readonly #ledger: Ledger;
  readonly #changes: readonly SetsChange[];
  readonly #requests: readonly Prepared[];

  private constructor(wire: Wire, ledger: Ledger, changes: readonly SetsChange[]) {
    this.#wire = wire;
    this.#ledger = ledger;
    this.#changes = changes;
    this.#requests = changes.map(requestOf);
  }

  /** The rows are as before when it resolves, and nobody else writes. */
  static async open(
    remote: string,
    ledger: Ledger,
    before: Before,
    changes: readonly SetsChange[],
  ): Promise<Floor> {
    const wire = await Wire.open(remote);
    const updates = [...before].map(([uuid, addresses]) => ({
      ...{ op: "update", table: "Address_Set", where: at(uuid) },
      row: { addresses: ["set", addresses] },
    }));
    await wire.transact(transaction(updates));
    return new Floor(wire, ledger, changes);
  }

  /** `from`: when what is repeated began. */
  async run(from: number): Promise<void> {
    const [begun, sent] = [performance.now(), [] as Promise<void>[]];
    for (const [index, { at: when, sets }] of this.#changes.entries()) {
      const wait = when - from - (performance.now() - begun);
      if (wait > 0) await sleep(wait);
      for (const { added } of sets.values()) for (const address of added) this.#ledger.sent(address);
      const request = this.#requests[index];
      if (request !== undefined) sent.push(this.#wire.transact(request));
    }
    await Promise.all(sent);
  }

  close(): void {
    this.#wire.close();
  }
}

const at = (uuid: string) => [["_uuid", "==", ["uuid", uuid]]];

function requestOf({ sets }: SetsChange): Prepared {
  const operations = [...sets].map(([uuid, { added, removed }]) => ({
    ...{ op: "mutate", table: "Address_Set", where: at(uuid) },
    mutations: [
      ["addresses", "delete", ["set", removed]],
      ["addresses", "insert", ["set", added]],
    ],
  }));
  return transaction(operations);
}
