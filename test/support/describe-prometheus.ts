// Groups of tests that need Debian's Prometheus.

import { describe, test } from "@jest/globals";
import type { PrometheusPrograms } from "./find-prometheus.ts";
import { prometheusOrSkip } from "./find-prometheus.ts";

/** A `describe` for tests with these programs. */
export function describeWithPrometheus(name: string, tests: (programs: PrometheusPrograms) => void): void {
  const programs = prometheusOrSkip();
  if (programs === null) {
    describe.skip(name, () => {
      // Never run; a skipped group must not be empty.
      test.todo("needs what is said above");
    });
    return;
  }
  describe(name, () => {
    tests(programs);
  });
}
