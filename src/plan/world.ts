// A world of a plan: what verdicts follow from, and the workloads whose pods may be added later.

import type { PolicyWorld } from "../verdicts/worlds.ts";
import type { Workload } from "../model/workload.ts";

export interface PlanWorld extends PolicyWorld {
  /** Of the manifests; none unless given. */
  readonly workloads?: readonly Workload[];
}
