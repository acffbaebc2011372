// Does a kind of fault many times, in several arenas at once, and adds up what came of it. An arena in which something was
// wrong is not used again: the failure is told, and the rest goes on in a new one.

import { Arena } from "./arena/arena.ts";
import type { FaultKind, Sample } from "./kinds/kind.ts";

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly worst: number;
}

export interface Outcome {
  readonly group: string;
  readonly name: string;
  /** How many times it was asked for, and how many times it ended right. */
  readonly asked: number;
  readonly right: number;
  /** Milliseconds; null: there was none. */
  readonly converged: Spread | null;
  readonly takeover: Spread | null;
  readonly takeoverBoundMs: number | null;
  /** Takeovers that took longer than the bound. */
  readonly overBound: number;
  readonly operations: Spread | null;
  readonly lost: number;
  /** null: that is not judged. */
  readonly wrongStatus: number | null;
  /** Transactions that a `wait` refused inside the database. */
  readonly refused: number;
  /** A sentence each. */
  readonly failures: readonly string[];
}

export async function run(
  kind: FaultKind,
  count: number,
  tell: (line: string) => void,
  mostLanes = kind.lanes,
): Promise<Outcome> {
  const samples: Sample[] = [];
  const failures: string[] = [];
  const seen = { left: count, lost: 0, refused: 0, wrongStatus: 0 };
  const leave = async (arena: Arena | null): Promise<void> => {
    if (arena === null) return;
    seen.lost += arena.lost;
    seen.refused += arena.refused;
    seen.wrongStatus += arena.wrongStatus;
    await arena.close();
  };
  const lane = async (): Promise<void> => {
    let arena: Arena | null = null;
    while (seen.left > 0) {
      seen.left--;
      try {
        arena ??= await Arena.open(kind.arena);
        samples.push(await once(kind, arena));
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
        tell(`${kind.group}: ${kind.name}: FAILED: ${failures.at(-1) ?? ""}`);
        await leave(arena);
        arena = null;
      }
      const begun = count - seen.left;
      if (begun % 10 === 0) tell(`${kind.group}: ${kind.name}: ${begun} of ${count}`);
    }
    await leave(arena);
  };
  await Promise.all(Array.from({ length: Math.min(mostLanes, kind.lanes, count) }, lane));
  const takeovers = samples.flatMap(({ takeoverMs }) => takeoverMs ?? []);
  const { group, name, takeoverBoundMs } = kind;
  const { lost, refused } = seen;
  return {
    ...{ group, name, asked: count, right: samples.length, takeoverBoundMs, lost, refused, failures },
    wrongStatus: kind.judgesStatus === true ? seen.wrongStatus : null,
    converged: spread(samples.map(({ convergedMs }) => convergedMs)),
    takeover: spread(takeovers),
    overBound: takeovers.filter((ms) => takeoverBoundMs !== null && ms > takeoverBoundMs).length,
    operations: spread(samples.map(({ operations }) => operations)),
  };
}

async function once(kind: FaultKind, arena: Arena): Promise<Sample> {
  const sample = await kind.run(arena);
  const wrongs = await arena.wrongs();
  if (wrongs.length > 0) throw new Error([...new Set(wrongs)].join("; "));
  return sample;
}

/** null: of no values. */
export function spread(values: readonly number[]): Spread | null {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return sorted.length === 0 ? null : { min: at(0), median: at(0.5), worst: at(1) };
}
