// The shapes of the answers about what namespaces may reach. The page's scripts are checked against them.

import type { Cell, MatrixReport, Place } from "../../matrix/report.ts";
import type { Excerpt } from "../excerpt.ts";

export type Reach = Cell["reach"];

/** A window of the matrix. */
export interface MatrixShown {
  readonly isMaking: false;
  readonly revision: string;
  /** How many places there are. */
  readonly total: number;
  /** Where the rows and the columns begin, from 0. */
  readonly from: number;
  readonly to: number;
  readonly columns: readonly Place[];
  /** A cell is null where there is no connection. */
  readonly rows: readonly { readonly place: Place; readonly cells: readonly (Reach | null)[] }[];
  /** Of the whole matrix. */
  readonly counts: Readonly<Record<Reach, number>>;
  readonly caveats: Excerpt<MatrixReport["caveats"][number]>;
}

export interface CellShown {
  readonly isMaking: false;
  readonly revision: string;
  readonly from: string;
  readonly to: string;
  readonly reach: Reach;
  /** The traffic of each kind in words. */
  readonly text: string;
  readonly question: Question | null;
}

/** For the tester. */
export interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  /** null: the protocol has none. */
  readonly port: number | null;
}

export interface NeighboursShown extends Excerpt<NeighbourShown> {
  readonly isMaking: false;
  readonly revision: string;
}

export interface NeighbourShown {
  readonly place: Place;
  /** What the namespace may send there; null: there is no connection. */
  readonly out: { readonly reach: Reach; readonly text: string } | null;
  /** What may arrive from there. */
  readonly in: NeighbourShown["out"];
}
