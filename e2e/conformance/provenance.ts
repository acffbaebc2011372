// What a result is of: the commit of the clone that it ran from, and a checksum by which the log of the run is known.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

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

/** As `sha256sum` prints it. */
export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Of the file's bytes. */
export function sha256Of(path: string): string {
  return sha256(readFileSync(path));
}
