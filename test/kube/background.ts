// A program that does not put itself into the background: starts it there, with a pid file and a log in its folder, in
// the shape that tools/sandbox/daemon.ts ends. Refuses to start what runs already. A program that ends before it is ready
// rejects with the last lines of its log.

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DaemonSpec, end, pidOf } from "../../tools/sandbox/daemon.ts";
import { patience } from "../support/patience.ts";

export interface BackgroundSpec extends DaemonSpec {
  /** It listens there; a killed predecessor may still hold it for a moment. */
  readonly port: number;
  /** Whether it serves now; asked again and again until it does. */
  ready(): Promise<boolean>;
}

const pollMs = 25;
const patienceMs = patience(90_000);
const portPatienceMs = patience(5_000);

/** Its arguments must name the folder, or `end` will not know it. */
export async function startInBackground(dir: string, spec: BackgroundSpec): Promise<void> {
  if (pidOf(dir, spec.name) !== null) return;
  const portDeadline = performance.now() + portPatienceMs;
  while (!(await isFree(spec.port)) && performance.now() < portDeadline) await sleep(pollMs);
  const log = openSync(join(dir, `${spec.name}.log`), "a", 0o600);
  const child = spawn(spec.program, spec.args, { cwd: dir, detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  let failure = null as string | null; // a listener sets it
  child.on("error", (error) => (failure = error.message));
  child.on("exit", (code, signal) => (failure ??= `it ended with ${code ?? signal ?? "nothing"}`));
  child.unref();
  if (child.pid !== undefined) writeFileSync(join(dir, `${spec.name}.pid`), `${child.pid}\n`);

  const deadline = performance.now() + patienceMs;
  for (;;) {
    if (failure === null && (await spec.ready())) return;
    if (failure !== null) break; // maybe while the question was under way
    if (performance.now() > deadline) {
      failure = `not ready after ${patienceMs / 1000} s`;
      await end(dir, spec.name);
      break;
    }
    await sleep(pollMs);
  }
  throw new Error(`${spec.name}: ${failure}\n${lastLines(join(dir, `${spec.name}.log`))}`);
}

/** A free port of 127.0.0.1 that no outgoing connection takes while its owner is down: those begin at 32768. */
export async function steadyPort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port between 20000 and 32000 of 127.0.0.1");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => {
      resolve(false);
    });
    probe.listen(port, "127.0.0.1", () => {
      probe.close(() => {
        resolve(true);
      });
    });
  });
}

function lastLines(path: string): string {
  return readFileSync(path, "utf8").trimEnd().split("\n").slice(-8).join("\n");
}
