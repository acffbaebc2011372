// Events of pods: one at a time through its whole life, and many at once.

import { churnPod, readdressed, relabelled } from "../workloads/churn.ts";
import { appLabel, gone, made } from "../workloads/world.ts";
import { type Scenario, step } from "./step.ts";

export const onePod: Scenario = function* ({ workload, repetitions }) {
  for (let c = 0; c < repetitions; c++) {
    const born = churnPod(c, workload);
    yield step("pod added", [made(born)], { before: [born] });
    const idle = relabelled(born, { note: "of no consequence" });
    yield step("pod relabelled without effect", [made(idle)]);
    const moved = relabelled(born, { app: appLabel(c + 1) });
    yield step("pod relabelled", [made(moved)]);
    const elsewhere = readdressed(moved, c);
    yield step("pod's address changed", [made(elsewhere)]);
    yield step("pod deleted", [gone(elsewhere)], { after: [born] });
  }
};

export function burst(size: number): Scenario {
  return function* ({ workload, repetitions, largest }) {
    if (size > largest) return;
    const rounds = Math.max(1, Math.ceil(Math.min(repetitions, 50) / (size > 500 ? 25 : 10)));
    for (let round = 0; round < rounds; round++) {
      const pods = Array.from({ length: size }, (_, at) => churnPod(round * size + at, workload));
      yield step(`${size} pods added`, pods.map(made), { before: pods });
      yield step(`${size} pods deleted`, pods.map(gone), { after: pods });
    }
  };
}
