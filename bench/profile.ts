// `make profile`: where the controller's time goes in a cold start and in pod events, and what its memory holds. Leaves a
// .cpuprofile of each and a heap snapshot in .cache/profile/. Exit codes are those of `make bench`.

import { mkdirSync, readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { join, resolve } from "node:path";
import { measuring } from "../scripts/support/measuring.ts";
import { onePod } from "./events/pods.ts";
import { type FunctionTime, functionTimes } from "./profile/cpu.ts";
import { classSizes } from "./profile/heap.ts";
import { Arena } from "./run/arena.ts";
import { floorCold, oursCold } from "./run/cold.ts";
import { help, settingsOf } from "./settings.ts";
import { renderingOf } from "./workloads/rendering.ts";

const folder = resolve(".cache/profile");
const shown = 15;

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

function tellTimes(path: string, per: number, unit: string): void {
  const { bySelf, byTotal } = functionTimes(JSON.parse(readFileSync(path, "utf8")) as Profiler.Profile);
  const row = ({ place, selfMs, totalMs }: FunctionTime) =>
    `  ${(selfMs / per).toFixed(2).padStart(9)} ${(totalMs / per).toFixed(2).padStart(9)}  ${place}`;
  const isWork = ({ place }: FunctionTime) => !/^(\((root|program|idle)\)|post node:)/.test(place);
  print("", path, `  self ms   total ms a ${unit}, by self time`);
  print(...bySelf.filter(isWork).slice(0, shown).map(row));
  print("  by total time, functions of the program");
  print(
    ...byTotal
      .filter(({ place }) => place.includes(" src/"))
      .slice(0, 2 * shown)
      .map(row),
  );
}

async function profile(env: NodeJS.ProcessEnv): Promise<boolean> {
  const [run] = settingsOf({ ...env, W: env["W"] ?? "W2" }).runs;
  if (run === undefined) return true;
  const { workload, mode, patienceMs, repetitions } = run;
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, `${workload.name}-${name}`);
  print(`${workload.name}: cold start and ${repetitions} pods`);
  const arena = await Arena.open({ workload, rendering: renderingOf(mode, workload.kind), patienceMs });
  try {
    await floorCold(arena);
    await arena.controller.record("start");
    await oursCold(arena);
    await arena.controller.record("stop", file("cold.cpuprofile"));
    await arena.controller.record("start");
    let events = 0;
    for (const step of onePod({ workload, world: arena.world, repetitions, largest: Infinity })) {
      await arena.perform(step);
      events++;
    }
    await arena.controller.record("stop", file("pods.cpuprofile"));
    tellTimes(file("cold.cpuprofile"), 1, "cold start");
    tellTimes(file("pods.cpuprofile"), events, "pod event");
    await arena.controller.record("snapshot", file("pods.heapsnapshot"));
  } finally {
    await arena.close();
  }
  const sizes = await classSizes(file("pods.heapsnapshot"));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  print("", `${file("pods.heapsnapshot")}: ${(total / 1e6).toFixed(1)} MB`, "       MB     objects");
  for (const { name, count, bytes } of sizes.slice(0, shown)) {
    print(`  ${(bytes / 1e6).toFixed(1).padStart(7)} ${String(count).padStart(11)}  ${name}`);
  }
  return true;
}

await measuring(help, profile);
