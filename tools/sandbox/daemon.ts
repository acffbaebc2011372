// One daemon of OVN or Open vSwitch, identified by the pid file in its folder. Refuses to signal a process that is not
// that daemon: the process of that pid must name the folder in its arguments. After `end` it is gone.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Output, run } from "./program.ts";

export interface DaemonSpec {
  /** Its pid file, control socket and log are <dir>/<name>.pid, .ctl and .log. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** How long a daemon may take to end by itself before it is killed. */
const patienceMs = 3000;
const pollMs = 5;

/** Starts a daemon; it listens when this resolves (`--detach` returns then). */
export function start(dir: string, spec: DaemonSpec, env: NodeJS.ProcessEnv): Promise<Output> {
  const at = (suffix: string) => join(dir, `${spec.name}.${suffix}`);
  const common = [
    `--unixctl=${at("ctl")}`,
    `--pidfile=${at("pid")}`,
    "-vconsole:off", // before --log-file, or one line still goes to stderr
    "-vsyslog:off",
    "-vfile:info",
    `--log-file=${at("log")}`,
    "--no-chdir",
    "--detach",
  ];
  return run(spec.program, [...spec.args, ...common], { env, timeoutMs: 20_000 });
}

/** The daemon's pid while it runs, otherwise null. */
export function pidOf(dir: string, name: string): number | null {
  const pid = Number(read(join(dir, `${name}.pid`)) ?? Number.NaN);
  return Number.isInteger(pid) && pid > 1 && isOurs(dir, pid) ? pid : null;
}

/** Ends the daemon and waits until it is gone; does nothing when it does not run. */
export async function end(dir: string, name: string, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  const pid = pidOf(dir, name);
  if (pid === null) return;
  send(pid, signal);
  const deadline = performance.now() + patienceMs;
  while (!hasEnded(pid)) {
    if (performance.now() > deadline) send(pid, "SIGKILL");
    await sleep(pollMs);
  }
  rmSync(join(dir, `${name}.pid`), { force: true }); // a killed daemon leaves its own
}

/** Ends every daemon that wrote a pid file into the folder. */
export async function endAll(dir: string): Promise<void> {
  if (!existsSync(dir)) return;
  const files = readdirSync(dir).filter((file) => file.endsWith(".pid"));
  await Promise.all(files.map((file) => end(dir, file.slice(0, -".pid".length))));
}

/** A process that ended, a zombie too, has no arguments in /proc. */
function isOurs(dir: string, pid: number): boolean {
  return read(`/proc/${pid}/cmdline`)?.includes(`${dir}/`) ?? false;
}

/**
 * Gone, or a zombie that its parent has not reaped: proc(5), the state in stat. A process that is being torn down has
 * no arguments any more but still holds its locks.
 */
function hasEnded(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat === null || /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // No such file is the answer here: no such process.
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended between the check and the signal.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
