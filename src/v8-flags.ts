// The settings of V8, for its heap and for code that runs seldom. By default V8 lets garbage grow to several times the live
// data before it collects, and keeps the memory; earlier collections suit a controller that is busy for a moment and quiet for
// hours.

import { setFlagsFromString } from "node:v8";

/**
 * For Node's command line, in MB. The image and the launcher pass them too; once Node runs, they cannot be changed.
 * The young generation's semi-space, instead of V8's 16: one event of a pod in the widest workload allocates 6 MB; with 4
 * instead of 8, two collections met it half done, and what they met was kept as if it were to stay.
 * The heap at the start, instead of some 10: nearly all that a start allocates stays, so V8 collected again and again, and
 * found nothing. That took a sixth of the CPU of a start with 2,000 pods, and what is held at the peak hardly differs.
 */
export const heapFlags = ["--max-semi-space-size=8", "--initial-heap-size=96"] as const;

/** Call before anything is allocated. An older V8 prints a warning for an unknown flag on stderr and goes on. */
export function setV8Flags(): void {
  // A collection when the heap has doubled. With 40 %, a start of 12,000 policies took a tenth longer, and its peak was 650 MB
  // instead of 760; smaller starts took as much of both (docs/performance-analysis.md).
  setFlagsFromString("--heap-growing-percent=100");
  // Without it, V8 drops code unused for some collections, and compiles it again when a policy is edited an hour later.
  setFlagsFromString("--no-flush-bytecode");
  // What an edit runs has run a few times before: V8 would interpret it, and learn nothing from the first calls. With both,
  // the first twenty edits of a policy take a tenth less time, and a start no more.
  setFlagsFromString("--no-lazy-feedback-allocation");
  setFlagsFromString("--always-sparkplug");
  const told = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""];
  // Started without that flag: the young generation keeps its initial size, which takes more CPU.
  if (!told.some((text) => text.includes("--max-semi-space-size")))
    setFlagsFromString("--semi-space-growth-factor=1");
}
