// Groups of tests that need Debian's Prometheus.

import { describe } from "@jest/globals";
import type { PrometheusPrograms } from "./find-prometheus.ts";
import { prometheusOrSkip } from "./find-prometheus.ts";
import { skippedGroup } from "./skipped-group.ts";

/** A `describe` for tests with these programs. */
export function describeWithPrometheus(name: string, tests: (programs: PrometheusPrograms) => void): void {
  const programs = prometheusOrSkip();
  if (programs === null) {
    skippedGroup(name, "needs what is said above");
    return;
  }
  describe(name, () => {
    tests(programs);
  });
}
