// What a result is of: the commit of the clone that it ran from, the program that was built there, and a checksum by which the log of the
// run is known.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Twelve digits of the commit, with "+" behind them where tracked files have changes; "unknown" where there is no git. */
export function commitHere(folder: string): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
    return `${git("rev-parse", "HEAD").slice(0, 12)}${isChanged ? "+" : ""}`;
  } catch {
    return "unknown";
  }
}

/**
 * A checksum of the program as it is built below `folder`: the names and bytes of its modules. Commits that change other things have the
 * same one.
 */
export function programIn(folder: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  for (const name of names.sort()) hash.update(`${name}\0${sha256Of(join(folder, name))}\n`);
  return hash.digest("hex");
}

/** As `sha256sum` prints it. */
export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Of the file's bytes. */
export function sha256Of(path: string): string {
  return sha256(readFileSync(path));
}
