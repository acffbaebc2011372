// The program as users run it: its own process, its exit code and what it printed.

import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess, ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { patience } from "./patience.ts";
import { mainFile } from "./main-file.ts";
import { withoutProgress } from "./without-progress.ts";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  /** Without progress, which only a slow machine prints. */
  readonly stderr: string;
}

/** Runs a command to its end. */
export function northgate(...args: readonly string[]): Ran {
  return northgateFed("", ...args);
}

/** The same of another copy of the program: the path of its main.ts. */
export function northgateAt(program: string, ...args: readonly string[]): Ran {
  return ran(args, "", {}, program);
}

/** The same with a text on standard input. */
export function northgateFed(input: string, ...args: readonly string[]): Ran {
  return ran(args, input);
}

/** The same with variables of the environment. */
export function northgateIn(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Ran {
  return ran(args, "", environment);
}

/** The same in a folder. */
export function northgateFrom(folder: string, ...args: readonly string[]): Ran {
  return ran(args, "", {}, mainFile, folder);
}

function ran(
  args: readonly string[],
  input: string,
  environment: NodeJS.ProcessEnv = {},
  program = mainFile,
  cwd?: string,
): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    ...(cwd === undefined ? {} : { cwd }),
    input,
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
    maxBuffer: 64 * 2 ** 20,
    timeout: patience(30_000),
  });
  return { code: status, stdout, stderr: withoutProgress(stderr) };
}

/** Empty: the user who runs the tests. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** A user whom the rights of files bind: they do not bind root. Or why the program cannot run as one. */
export function boundUser(): User | string {
  if (process.getuid?.() !== 0) return {};
  const nobody = { uid: 65534, gid: 65534 };
  const { status, error } = spawnSync(process.execPath, [mainFile, "--version"], {
    env: { ...process.env, NODE_OPTIONS: "" },
    ...nobody,
  });
  return status === 0
    ? nobody
    : `the program does not run as uid ${nobody.uid} (${error?.message ?? `status ${status}`})`;
}

export interface Running {
  readonly child: ChildProcess;
  /** What it has written to standard error so far. */
  text(): string;
  /** What it has logged so far: one object a line. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Sends the signal and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error(`a line of the log is no JSON: ${line}`);
  }
}

/** Starts `northgate run`, logging JSON unless told otherwise; as another user when one is given. */
export function startNorthgate(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  user: User = {},
  format = "json",
  program = mainFile,
): Running {
  const child = spawn(process.execPath, [program, "run", `--log-format=${format}`, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
    ...user,
  });
  return running(child);
}

/** Of a process that was just started. */
export function running(child: ChildProcessByStdio<null, null, Readable>): Running {
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  return {
    child,
    text: () => text,
    log: () => text.split("\n").slice(0, -1).map(parsed),
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}
