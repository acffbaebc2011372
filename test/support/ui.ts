// `northgate ui` as users run it: its own process, ended with the test.

import { spawn } from "node:child_process";
import { patience } from "./patience.ts";
import { mainFile } from "./main-file.ts";

export interface RunningUi {
  /** http://127.0.0.1:port */
  readonly address: string;
  /** What it has written to standard error so far. */
  text(): string;
  /** Resolves with the exit code. */
  end(): Promise<number | null>;
}

/** On any free port. */
export function startUi(...args: readonly string[]): Promise<RunningUi> {
  const child = spawn(process.execPath, [mainFile, "ui", "--listen", "127.0.0.1:0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`northgate ui does not start: ${said}`));
    }, patience(30_000));
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (!printed.includes("\n")) return;
      clearTimeout(timer);
      resolve({
        address: printed.trim(),
        text: () => said,
        end: () => {
          child.kill("SIGTERM");
          return ended;
        },
      });
    });
    void ended.then((code) => {
      clearTimeout(timer);
      reject(new Error(`northgate ui has ended with ${code ?? "a signal"}: ${said}`));
    });
  });
}
