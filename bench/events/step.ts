// One event of a workload: what changes in the cluster, and which ports the CNI brings before or takes away after it,
// which is not measured. Steps without a kind only lead from one measured step to another.

import type { PodFact } from "../../src/model/facts.ts";
import type { Change, World } from "../workloads/world.ts";
import type { Workload } from "../workloads/catalogue.ts";

export interface Step {
  /** null: not measured. */
  readonly kind: string | null;
  readonly changes: readonly Change[];
  readonly portsBefore: readonly PodFact[];
  readonly portsAfter: readonly PodFact[];
}

export interface Scene {
  readonly workload: Workload;
  readonly world: World;
  /** How often an event of one pod is repeated; larger ones are repeated less often. */
  readonly repetitions: number;
  /** Pods of one event, at the most: larger ones are left out. */
  readonly largest: number;
}

/** Steps that end in the world they began with. */
export type Scenario = (scene: Scene) => Iterable<Step>;

export function step(
  kind: string | null,
  changes: readonly Change[],
  ports: { readonly before?: readonly PodFact[]; readonly after?: readonly PodFact[] } = {},
): Step {
  return { kind, changes, portsBefore: ports.before ?? [], portsAfter: ports.after ?? [] };
}
