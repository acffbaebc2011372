// Starts programs in an image's tree as a container engine does: its own root, mounted read-only, another user, and one folder of
// the machine at /tmp, read-only as well. It needs root and the right to mount; where they are missing it says so.

import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Of the Dockerfile's last stage. */
interface Start {
  readonly user: string;
  readonly entrypoint: readonly string[];
}

export function startOf(dockerfile: string): Start {
  const text = readFileSync(dockerfile, "utf8");
  const [, user = ""] = /^USER (.*)$/m.exec(text) ?? [];
  const [, entrypoint = "[]"] = /^ENTRYPOINT (.*)$/m.exec(text) ?? [];
  return { user, entrypoint: JSON.parse(entrypoint) as readonly string[] };
}

/** Null: programs can be started; else why not. */
export function missingRights(): string | null {
  if (process.getuid?.() !== 0) return "only root may start a program in another root as another user";
  const { status } = spawnSync("unshare", ["--mount", "true"]);
  return status === 0 ? null : "this machine lets nobody mount";
}

/** $1 the tree, $2 the user, $3 what is at /tmp; then the program. Its mounts are gone when it ends. */
const script = `set -e
tree=$1 user=$2 at=$3
shift 3
mount --bind "$tree" "$tree"
mount --bind "$at" "$tree/tmp"
mount -o remount,bind,ro "$tree/tmp"
mount -o remount,bind,ro "$tree"
exec chroot --userspec="$user" "$tree" "$@"`;

export function startIn(tree: string, at: string, args: readonly string[]): ChildProcess {
  const { user, entrypoint } = startOf("Dockerfile");
  const command = ["--mount", "--propagation", "private", "sh", "-c", script, "sh", tree, user, at];
  return spawn("unshare", [...command, ...entrypoint, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production" },
  });
}

export interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Waits for its end. */
export function ended(child: ChildProcess): Promise<Ended> {
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (said += text));
  return new Promise((done) => {
    child.once("close", (code) => {
      done({ code, said });
    });
  });
}
