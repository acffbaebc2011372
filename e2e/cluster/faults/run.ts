// Does each fault many times on one cluster, one after the other, and adds up what came of it: whether Northgate went on, and what
// became of the connections meanwhile. After a failure the next faults get a new cluster.

import { type Spread, spread } from "../../../faults/run.ts";
import { Stage } from "../stage.ts";
import type { Counts } from "../streams.ts";
import type { ClusterFault } from "./kinds.ts";

export interface Outcome {
  readonly name: string;
  /** How many times it was asked for, and how many times it ended right. */
  readonly asked: number;
  readonly right: number;
  /** Of the pod that a policy allows: connections that came about, and those that did not. */
  readonly made: number;
  readonly lost: number;
  /** Of the pod that a policy denies: connections that did not come about, and those that did. */
  readonly stopped: number;
  readonly letThrough: number;
  /** Milliseconds until the other replica wrote; null: no other one had to. */
  readonly takeover: Spread | null;
  /** A sentence each. */
  readonly failures: readonly string[];
}

export async function runFaults(
  faults: readonly ClusterFault[],
  count: number,
  tell: (line: string) => void,
  done: (outcome: Outcome) => void,
): Promise<void> {
  const held: Held = { stage: null };
  try {
    for (const fault of faults) {
      const came: (Sample | string)[] = [];
      for (let time = 1; time <= count; time++) {
        const one = await once(fault, held, tell);
        came.push(one);
        tell(`${fault.name}: ${time} of ${count}: ${told(one)}`);
      }
      done(outcomeOf(fault, count, came));
    }
  } finally {
    await leave(held);
  }
}

/** The cluster on which faults happen; null: the next one needs a new one. */
interface Held {
  stage: Stage | null;
}

async function leave(held: Held): Promise<void> {
  const { stage } = held;
  held.stage = null;
  await stage?.close();
}

export interface Sample extends Pick<Outcome, "made" | "lost" | "stopped" | "letThrough"> {
  readonly took: number | null;
}

function told(came: Sample | string): string {
  if (typeof came === "string") return `FAILED: ${came}`;
  const { took, lost, letThrough } = came;
  const wrong = lost + letThrough === 0 ? "" : `, ${lost} lost, ${letThrough} let through`;
  return `${took === null ? "right" : `${took} ms`}${wrong}`;
}

/** A sentence: it failed. */
async function once(fault: ClusterFault, held: Held, tell: (line: string) => void): Promise<Sample | string> {
  const stage = (held.stage ??= await Stage.open(tell));
  try {
    const before = await stage.streams.counts();
    const took = await fault.run(stage);
    return { took, ...since(before, await stage.streams.counts()) };
  } catch (error) {
    await leave(held);
    return error instanceof Error ? error.message : String(error);
  }
}

function since(before: Counts, after: Counts): Omit<Sample, "took"> {
  return {
    made: after.allowed.connected - before.allowed.connected,
    lost: after.allowed.refused - before.allowed.refused,
    stopped: after.denied.refused - before.denied.refused,
    letThrough: after.denied.connected - before.denied.connected,
  };
}

/** Of each time a sample, or the sentence that says what failed. */
export function outcomeOf(
  { name }: Pick<ClusterFault, "name">,
  asked: number,
  came: readonly (Sample | string)[],
): Outcome {
  const samples = came.filter((one) => typeof one !== "string");
  const failures = came.filter((one) => typeof one === "string");
  const sum = (of: (sample: Sample) => number) => samples.reduce((all, sample) => all + of(sample), 0);
  const [lost, letThrough] = [sum((sample) => sample.lost), sum((sample) => sample.letThrough)];
  return {
    ...{ name, asked, failures, lost, letThrough },
    right: samples.filter((sample) => sample.lost === 0 && sample.letThrough === 0).length,
    made: sum(({ made }) => made),
    stopped: sum(({ stopped }) => stopped),
    takeover: spread(samples.flatMap(({ took }) => took ?? [])),
  };
}
