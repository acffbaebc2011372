// Whether two sets of policies mean the same for one world: asks what each verdict can be (policy/ties.ts) on the same
// connections. Where the API leaves the order of the earlier policies open, the later ones may settle it: their verdicts
// must be among the earlier ones. Bounded work: of too many connections, some at even distances are asked.

import type { FactStore } from "../model/fact-store.ts";
import { completionsOf } from "../doubt/completions.ts";
import type { Connection, World } from "../policy/evaluate.ts";
import type { Policy } from "../policy/ir.ts";
import { outcomes, type Verdict } from "../policy/ties.ts";
import { connectionsOf } from "./connections.ts";

export interface Difference {
  readonly connection: Connection;
  readonly before: ReadonlySet<Verdict>;
  readonly after: ReadonlySet<Verdict>;
}

export interface Comparison {
  /** Pods that stand for those like them. */
  readonly pods: number;
  /** How many connections there are to compare. */
  readonly possible: number;
  readonly compared: number;
  readonly differing: number;
  /** The first of them. */
  readonly examples: readonly Difference[];
}

/** How often a rule may be held against a connection: some ten seconds. */
const mostWork = 15_000_000;
const leastConnections = 100;
const shown = 5;

export function compare(
  facts: FactStore,
  before: readonly Policy[],
  after: readonly Policy[],
  work = mostWork,
): Comparison {
  const connections = connectionsOf(facts, [...before, ...after]);
  const possible = connections.count;
  const each = [...before, ...after].reduce(
    (sum, { rules: { ingress, egress } }) => sum + ingress.length + egress.length,
    1,
  );
  const compared = Math.min(possible, Math.max(leastConnections, Math.floor(work / each)));
  const step = compared === possible ? 1 : strideOf(possible);
  const examples: Difference[] = [];
  let differing = 0;
  let open = 0;
  for (let n = 0; n < compared; n++) {
    const connection = connections.at((n * step) % possible);
    const worlds = worldsOf(connection, facts, [...before, ...after]);
    if (worlds === null) open += 1;
    const found = firstDifference(connection, worlds ?? [], { before, after });
    if (found === null) continue;
    differing += 1;
    if (examples.length < shown) examples.push(found);
  }
  return { pods: connections.pods, possible, compared: compared - open, differing, examples };
}

/** One for each way in which labels that nobody has read can make a difference; null: there are too many. */
function worldsOf(
  connection: Connection,
  facts: FactStore,
  policies: readonly Policy[],
): readonly World[] | null {
  const completions = completionsOf(connection, facts, policies);
  return completions === null ? [facts] : completions.worlds;
}

function firstDifference(
  connection: Connection,
  worlds: readonly World[],
  { before, after }: { readonly before: readonly Policy[]; readonly after: readonly Policy[] },
): Difference | null {
  for (const world of worlds) {
    const [then, now] = [before, after].map((policies) => outcomes(connection, world, policies).verdicts);
    if (then !== undefined && now?.isSubsetOf(then) === false)
      return { connection, before: then, after: now };
  }
  return null;
}

/** Steps of this size come to every number below `count` before they come to one again, and spread from the start. */
function strideOf(count: number): number {
  let stride = Math.max(1, Math.floor(count * 0.618));
  while (greatestDivisor(stride, count) > 1) stride -= 1;
  return stride;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
