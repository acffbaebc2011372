// Debian's zsh and fish: a private copy in .cache/shells that scripts/fetch-shells.sh fetches the first time. Without them it says SKIPPED
// and answers null; under CI=true it throws.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "../../tools/sandbox/program.ts";
import { patience } from "./patience.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));

export interface Shells {
  /** Absolute paths. */
  readonly zsh: string;
  readonly fish: string;
}

/** Fetches them the first time: 20 MB. */
export function shellsOrSkip(): Shells | null {
  const copy = join(repository, ".cache", "shells");
  const shells = { zsh: join(copy, "bin", "zsh"), fish: join(copy, "bin", "fish") };
  if (isProgram(shells.zsh) && isProgram(shells.fish)) return shells;
  const { status, stderr } = spawnSync("bash", [join(repository, "scripts", "fetch-shells.sh"), copy], {
    encoding: "utf8",
    timeout: patience(300_000),
  });
  if (status === 0) return shells;
  const reason = stderr.trim().split("\n").at(-1) ?? "they could not be fetched";
  if (process.env["CI"] === "true") throw new Error(`no zsh and fish: ${reason}`);
  process.stderr.write(`SKIPPED: completion in zsh and fish: ${reason}\n`);
  return null;
}
