// A program that runs beside the test, with what it has written so far.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

export interface Started {
  readonly child: ChildProcess;
  readonly texts: { readonly out: string; readonly error: string };
  /** The exit code, when it has closed its output. */
  readonly ended: Promise<number | null>;
}

export function started(
  [program = "", ...args]: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Started {
  const child = spawn(program, args, {
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.error += text));
  return { child, texts, ended: new Promise((resolve) => child.once("close", resolve)) };
}
