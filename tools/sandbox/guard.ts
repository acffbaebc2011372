// Ends an OVN in its own folder when this process ends, in whatever way: a child waits on a pipe that only this process
// holds open, and ends the daemons when it closes. Test runners need this: their other hooks do not run on every
// signal. Signals only processes that name the folder in their arguments.

import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";

/** $1 is the folder. It waits for the end of its input, and a terminal's Ctrl-C must not end it before that. */
const script = `
trap "" INT TERM HUP
read -r _
for file in "$1"/*.pid; do
  pid=$(cat "$file") && grep -aqF "$1/" "/proc/$pid/cmdline" && kill -KILL "$pid"
done
rm -rf "$1"`;

export class Guard {
  readonly #child: ChildProcess;

  constructor(dir: string) {
    this.#child = spawn("/bin/sh", ["-c", script, "guard", dir], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#child.on("error", () => {
      // Without a shell there is no guard; OVN itself works all the same.
    });
    this.#child.unref();
    if (this.#child.stdin instanceof Socket) this.#child.stdin.unref();
  }

  /** Call when the daemons have ended. Resolves when the child is gone. */
  dismiss(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.pid === undefined || this.#child.exitCode !== null) {
        resolve();
        return;
      }
      this.#child.once("exit", () => {
        resolve();
      });
      this.#child.ref();
      this.#child.kill("SIGKILL");
    });
  }
}
