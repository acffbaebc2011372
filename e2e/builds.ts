// The scripts that build or fetch the programs of a cluster, each once; what they say goes to this process's own output.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../", import.meta.url));

/** A script by its path in the repository, and its arguments. It ends with 3 where the machine cannot have what it makes. */
export type Build = readonly [script: string, ...args: readonly string[]];

/** Null: all of them have made what they make; else why this machine cannot have it. Throws when one fails. */
export function built(builds: readonly Build[]): string | null {
  for (const [script, ...args] of builds) {
    const { status } = spawnSync(join(repository, script), args, { stdio: ["ignore", "inherit", "inherit"] });
    if (status === 3) return `${script} cannot have its programs on this machine`;
    if (status !== 0) throw new Error(`${script} failed`);
  }
  return null;
}
