// The version of the package this program is part of, and the commit that it was made from: written by the build
// (scripts/stamp.ts), or asked of git where the sources run in their checkout. Unknown when neither can say it.

import { spawnSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { invariant } from "./lib/invariant.ts";

const manifest = new URL("../package.json", import.meta.url);
const stamp = new URL("./build.json", import.meta.url);

export function version(): string {
  const { version: text } = parsed(manifest) ?? {};
  invariant(typeof text === "string", "package.json has no version");
  return text;
}

/** The commit's hash, with `-dirty` behind it when files were changed; or "unknown". */
export function commit(): string {
  const stamped = parsed(stamp)?.["commit"];
  return typeof stamped === "string" ? stamped : (commitOfCheckout() ?? "unknown");
}

/** null: this package is in no checkout of its own. One that lies in another project's does not count. */
export function commitOfCheckout(): string | null {
  const root = fileURLToPath(new URL(".", manifest));
  const top = git(root, "rev-parse", "--show-toplevel");
  if (top === null || realpathSync(top) !== realpathSync(root)) return null;
  return git(root, "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*");
}

/** null: it failed, or there is no git. */
function git(folder: string, ...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync("git", ["-C", folder, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : null;
}

/** null: it is not there, or holds no object. */
function parsed(file: URL): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
