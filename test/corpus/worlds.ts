// The two worlds of a plan's command line, read as the command reads them.

import { Command } from "commander";
import { declareFlags } from "../../src/cli/flags.ts";
import { readPlanConfig } from "../../src/config/answers/plan.ts";
import { serviceKind } from "../../src/model/service.ts";
import type { Both } from "../../src/verdicts/worlds.ts";
import { plannedWorlds } from "../../src/worlds/plan-worlds.ts";
import type { LoadedWorld } from "../../src/worlds/world.ts";

/** `args`: plan and its flags, as they are given in the folder. */
export async function worldsOf(folder: string, [, ...args]: readonly string[]): Promise<Both<LoadedWorld>> {
  const command = new Command("plan");
  const given = declareFlags(command, "plan");
  command.parse(args, { from: "user" });
  const config = readPlanConfig(given());
  if (config.against.kind === "rows") throw new Error("two worlds are compared, not rows");
  const before = process.cwd();
  process.chdir(folder);
  try {
    const { worlds } = await plannedWorlds({ ...config, alsoRead: [serviceKind] }, config.against);
    return worlds;
  } finally {
    process.chdir(before);
  }
}
