// What `northgate matrix` answers, in the shape of its JSON: schema northgate.matrix/1. Fields may be added, never renamed. Every
// other form of output is made from it.

import type { Reach } from "../crossings/reach.ts";
import type { Caveat } from "../explain/answer.ts";
import type { AskedProtocol } from "../model/protocols.ts";
import type { Traffic } from "../verdicts/traffic-words.ts";

/** Namespaces, or workloads of one namespace; and what is beside them. */
export interface Place {
  /** A namespace, or the title of a workload; what is beside them is a word in parentheses alone. */
  readonly name: string;
  /** On the pod network. */
  readonly pods: number;
  /** Those that stand for pods which are not there; absent: there are none. */
  readonly workloads?: number;
}

/** The traffic of each kind; a kind that has none is absent. */
export type TrafficByReach = Partial<Readonly<Record<Reach, readonly Traffic[]>>>;

export interface Cell {
  readonly from: string;
  readonly to: string;
  /** Of all of the traffic. */
  readonly reach: Reach;
  readonly traffic: TrafficByReach;
}

/** null: the place, or a connection between the two, is not there. */
export interface CellChange {
  readonly from: string;
  readonly to: string;
  readonly old: Omit<Cell, "from" | "to"> | null;
  readonly new: Omit<Cell, "from" | "to"> | null;
}

export interface MatrixQuestion {
  /** Its workloads; null: all namespaces. */
  readonly namespace: string | null;
  /** null: every protocol. */
  readonly protocol: AskedProtocol | null;
  /** A number, or the name of a container port of each destination; null: every port. */
  readonly port: number | string | null;
}

export interface MatrixReport {
  readonly schema: "northgate.matrix/1";
  readonly question: MatrixQuestion;
  /** In the order of their names, what is beside them last. */
  readonly places: readonly Place[];
  /** Every pair of places between which there is a connection. */
  readonly cells: readonly Cell[];
  readonly caveats: readonly Caveat[];
  /** With --diff: what it was compared with, and the cells that differ. */
  readonly against?: string;
  readonly changes?: readonly CellChange[];
}
