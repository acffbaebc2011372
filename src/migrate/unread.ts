// Compares two sets of policies on the connections of pods whose Namespace was not read: for every labelling that can make a
// difference (doubt/completions.ts), on connections that represent others. Bounded work: of too many connections, some at
// even distances are asked. What is known is compared whole elsewhere (compare.ts).

import { completionsOf } from "../unknowns/completions.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { Connection, World } from "../policy/evaluate.ts";
import type { Policy } from "../policy/ir.ts";
import { outcomes } from "../policy/ties.ts";
import { openNamespaces } from "../verdicts/ends/open-namespaces.ts";
import type { Both, PolicyWorld } from "../verdicts/worlds.ts";
import { connectionsOf } from "./connections.ts";
import type { Difference } from "./difference.ts";

export interface Compared {
  /** Pods that represent those like them. */
  readonly pods: number;
  /** How many connections there are to compare. */
  readonly possible: number;
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** How often a rule may be held against a connection: some ten seconds. */
const mostWork = 15_000_000;
const leastConnections = 100;

/** null: no policy asks for what was not read. */
export function compareUnread(facts: FactStore, worlds: Both<PolicyWorld>, work = mostWork): Compared | null {
  const open = openNamespaces(worlds);
  if (open.size === 0) return null;
  const policies = [...worlds.old.policies, ...worlds.new.policies];
  const connections = connectionsOf(facts, policies, open);
  const possible = connections.count;
  const each = policies.reduce(
    (sum, { rules: { ingress, egress } }) => sum + ingress.length + egress.length,
    1,
  );
  const most = Math.min(possible, Math.max(leastConnections, Math.floor(work / each)));
  const step = most === possible ? 1 : strideOf(possible);
  const differences: Difference[] = [];
  let compared = 0;
  for (let n = 0; n < most; n++) {
    const connection = connections.at((n * step) % possible);
    const completed = worldsOf(connection, facts, policies);
    if (completed === null) continue;
    compared += 1;
    const found = firstDifference(connection, completed, worlds);
    if (found !== null) differences.push(found);
  }
  return { pods: connections.pods, possible, compared, differences };
}

/** One for each way in which unread labels can make a difference; null: there are too many. */
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
  completed: readonly World[],
  worlds: Both<PolicyWorld>,
): Difference | null {
  for (const world of completed) {
    const before = outcomes(connection, world, worlds.old.policies).verdicts;
    const after = outcomes(connection, world, worlds.new.policies).verdicts;
    if (!after.isSubsetOf(before)) return { connection, before, after };
  }
  return null;
}

/** Steps of this size reach every number below `count` before they reach one again, and spread from the start. */
function strideOf(count: number): number {
  let stride = Math.max(1, Math.floor(count * 0.618));
  while (greatestDivisor(stride, count) > 1) stride -= 1;
  return stride;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
