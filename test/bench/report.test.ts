// What reports say of few values: no percentile below a hundred events, and a goal of a run from exec is met when every run met it.

import { expect, test } from "@jest/globals";
import { execTables } from "../../bench/report/exec.ts";
import { spread } from "../../bench/run/measurement.ts";

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

test.each([
  [99, null],
  [100, 99],
  [200, 198],
])("of %i events the 99th percentile is %j", (count, p99) => {
  expect(spread(upTo(count))).toMatchObject({ p99, max: count });
});

/** W1 from exec, of one start of so many seconds. */
function run(seconds: number, cpuMicrosAnUpdate: number) {
  const memory = { rssBytes: 100e6, peakRssBytes: 120e6 };
  return {
    ...{ when: "2026-11-27T08:00:00Z", machine: "2 cores", node: "24", ovn: "25.03" },
    load: [0.5, 1] as const,
    workloads: [
      {
        ...{ workload: "W1", mode: "central" as const },
        starts: [{ rowsMs: seconds * 1000, cpuMs: 900, ...memory }],
        afterwards: {
          ...{ updates: 10_000, cpuMicrosAnUpdate, ...memory },
          ...{ replacedPods: 2_000, cpuMsAPod: 1, replacedRssBytes: 130e6, replacedPeakRssBytes: 140e6 },
        },
      },
    ],
  };
}

test("each run of a goal is shown, and whether all of them met it", () => {
  const tables = execTables([run(0.5, 41), run(0.6, 39.4), run(0.61, 50)]);
  expect(tables).toContain("| W1, central: rows right | 0.6 s | 0.50, 0.60, 0.61 | in 2 of 3 |");
  expect(tables).toContain("| W1, central: CPU of an update | 40 µs | 41, 39, 50 | in 1 of 3 |");
  expect(tables).toContain("| W1, central: peak memory of a start | 130 MB | 120, 120, 120 | **yes** |");
  expect(tables).not.toContain("| W4");
  expect(tables).toContain("| W1, central | 2,000 / 50 / 30 | 0.50–0.61 | 0.90 | 120 | 100 | 39–50 | 2000 |");
  expect(execTables([run(0.7, 1)])).toContain("| 0.6 s | 0.70 | no |");
  const others = run(1, 1).workloads.map((one) => ({ ...one, workload: "W1-calico" }));
  expect(execTables([{ ...run(1, 1), workloads: others }])).not.toContain("goal");
});
