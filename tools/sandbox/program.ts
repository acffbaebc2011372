// Runs one program to its end and returns its output; says whether there is one. Refuses a shell: arguments are passed as they
// are. A failing program rejects with the end of its own output, so that the error can be understood without another run.

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the program after this time; 60 s by default. */
  readonly timeoutMs?: number;
}

/** A program ended with an exit code other than 0, or could not be started (code null). */
class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly code: number | null;
  readonly stderr: string;

  constructor(program: string, code: number | null, stderr: string) {
    super(`${program}: ${stderr.trim() === "" ? `exit code ${code ?? "none"}` : stderr.trim()}`);
    this.code = code;
    this.stderr = stderr;
  }
}

/** Largest accepted output of a program: `list` of a large Southbound database. */
const maxBuffer = 1 << 30;

export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Output> {
  return new Promise((resolve, reject) => {
    const settings = {
      env: options.env ?? process.env,
      timeout: options.timeoutMs ?? 60_000,
      maxBuffer,
      encoding: "utf8",
    } as const;
    execFile(file, args, settings, (error, stdout, stderr) => {
      if (error === null) {
        resolve({ stdout, stderr });
        return;
      }
      const said = stderr === "" ? error.message : stderr;
      reject(new ProgramError(file.slice(file.lastIndexOf("/") + 1), exitCode(error.code), said));
    });
  });
}

function exitCode(code: unknown): number | null {
  return typeof code === "number" ? code : null;
}

/** Whether there is a file at the path that this process may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // Not there, or not ours to run: the search goes on.
  }
}
