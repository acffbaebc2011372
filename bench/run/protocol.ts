// What the bench and the controller's process say to each other. Facts go over whole (structured clone keeps their maps).

import type { Rendering } from "../workloads/rendering.ts";
import type { Change } from "../workloads/world.ts";

export interface Setup {
  readonly workload: string;
  readonly rendering: Rendering;
  /** What differs from the workload's world. */
  readonly amendments: readonly Change[];
  readonly remote: string;
}

/** A CPU profile's beginning and end, or a heap snapshot. */
export type Recording = "start" | "stop" | "snapshot";

export type Request =
  | { readonly say: "prepare"; readonly setup: Setup }
  /** `filled`: the loop begins when the database's cache is full; otherwise both begin at once. */
  | { readonly say: "start"; readonly filled: boolean }
  /** Changes that have come over and are not seen yet: the clock starts when they are. */
  | { readonly say: "stage"; readonly changes: readonly Change[] }
  | { readonly say: "change" }
  | { readonly say: "report" }
  | { readonly say: "record"; readonly what: Recording; readonly path: string }
  | { readonly say: "stop" };

/** What the controller's process has used and done since it began; counters only grow. */
export interface Report {
  readonly cpuMs: number;
  /** The longest stall of the event loop from the start, or the last change, to this report; see stalls.ts. */
  readonly lagMaxMs: number;
  readonly peakRssBytes: number;
  /**
   * The beginning of the last change, when what is staged happens, as `monotonicMs` says, and the CPU that the process had used
   * then: what the two processes have to say to each other is not of the change.
   */
  readonly changed: { readonly at: number; readonly cpuMs: number };
  /** Milliseconds since the epoch at which the last pass of the loop ended. */
  readonly quietAt: number;
  /** Milliseconds since the epoch at which the loop began. */
  readonly begunAt: number;
  readonly selectorEvaluations: number;
  readonly transactions: number;
  readonly operations: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Logical switch ports in its cache. */
  readonly ports: number;
  readonly fills: number;
  readonly refused: number;
}

export type Answer =
  | { readonly said: "recorded" }
  | { readonly said: "staged" }
  | { readonly said: "prepared"; readonly cpuMs: number }
  | { readonly said: "report"; readonly report: Report };
