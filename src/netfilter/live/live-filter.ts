// What the backend needs of a packet filter: what it has, as it is known, and writes that make it another.

import type { ChainText } from "../print-hooks.ts";
import type { Filters, TableName } from "./actual.ts";
import type { SetChanges } from "./live-sets.ts";
import { noSetChanges } from "./live-sets.ts";

/** What one table is to have. */
export interface TableWrite {
  readonly chains: readonly ChainText[];
  readonly sets: SetChanges;
  /** Sets that stay although no change names them. */
  readonly used: ReadonlySet<string>;
}

export const noTableWrite: TableWrite = { chains: [], sets: noSetChanges, used: new Set() };

export type FilterWrites = ReadonlyMap<TableName, TableWrite>;

/** What rejects does so with a FilterRefusedError or a FilterLostError. */
export interface LiveFilter {
  /** null: it was not read, or a write ended with an error since. */
  readonly known: Filters | null;
  /** What is known is in doubt. */
  forget(): void;
  /** Returns whether it has changed since it was last known. */
  read(): Promise<boolean>;
  /** Whether a set has another number of elements than is known; never where the node reports such changes. */
  hasOtherSizes(): Promise<boolean>;
  /**
   * Writes what differs, in an order that leaves no gap. Nothing is run where nothing differs: then `wrote` is not called. Resolves with
   * why a set that no rule names any more could not be removed; null: it was. Where it rejects, what was known is forgotten.
   */
  write(writes: FilterWrites, wrote?: () => void): Promise<string | null>;
}
