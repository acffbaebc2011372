// What one run of `make bench` leaves behind as JSON.

import type { WorkloadResult } from "../run/bench.ts";

export interface Results {
  readonly when: string;
  readonly machine: string;
  readonly node: string;
  readonly ovn: string;
  /** Load before and after: other work on the machine makes every time longer. */
  readonly load: readonly [number, number];
  readonly workloads: readonly WorkloadResult[];
}
