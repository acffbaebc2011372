// Reads the objects of due keys from the source into the engine, in slices between which the event loop turns. Decides how many
// keys one pass takes, and in which order they are read; knows no commits. Invariant: what changed while slices were read is
// read at their end in one turn, unless it is a flood after the first comparison was written.

import type { Clock } from "../lib/clock.ts";
import { Pace } from "../lib/pace.ts";
import type { ObjectKey, Source } from "../model/object.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Engine } from "./engine.ts";
import type { KeyedQueue } from "./queue.ts";

export interface ObservingOptions {
  readonly source: Pick<Source, "read">;
  readonly engine: Pick<Engine, "policyKeyOf" | "observe">;
  readonly queue: Pick<KeyedQueue<ObjectKey>, "size" | "take">;
  readonly clock: Clock;
}

/** What a pass has looked at. */
export interface Observed {
  readonly keys: readonly ObjectKey[];
  readonly policies: ReadonlySet<PolicyKey>;
}

/** The most keys of one pass, so that a flood of events cannot keep a batch from being written. */
const keysPerPass = 10_000;
/** The most keys that are read in one turn of the event loop after the first comparison was written: some 100 ms. */
const keysPerTurn = 500;

/**
 * At a start, what is due is all objects there are, and later it may be thousands. They are read in slices: probes are
 * answered and the backend connects meanwhile. What changed in that time is read at its end, in one turn, so that all of it
 * is as the source has it then; but for a flood, which is left to the next pass. `reconciled`: the first comparison was written.
 */
export async function observeDue(options: ObservingOptions, reconciled: boolean): Promise<Observed> {
  const { queue, clock } = options;
  const pace = new Pace(clock);
  const all = await observeAll(options, queue.take(reconciled ? keysPerPass : Infinity), pace);
  if (!pace.hasRested || (reconciled && queue.size > keysPerTurn)) return all;
  const late = await observeAll(options, queue.take(Infinity), null);
  return { keys: [...all.keys, ...late.keys], policies: all.policies.union(late.policies) };
}

/**
 * Policies last: a group retained over known members has no edges, and the objects that policies refer to are known.
 * `pace`: null for one turn.
 */
async function observeAll(
  { source, engine }: ObservingOptions,
  keys: readonly ObjectKey[],
  pace: Pace | null,
): Promise<Observed> {
  const policies = new Set<PolicyKey>();
  for (const key of keys) {
    const policy = engine.policyKeyOf(key);
    if (policy !== null) policies.add(policy);
    else engine.observe(key, source.read(key));
    if (pace?.isDue === true) await pace.rest();
  }
  for (const policy of policies) {
    engine.observe(policy, source.read(policy));
    if (pace?.isDue === true) await pace.rest();
  }
  return { keys, policies };
}
