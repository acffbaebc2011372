// Runs kubectl once, with something to read if the caller has it. Refuses a shell and the caller's own configuration: its
// home is the folder it is given. A refusal of the API server rejects with kubectl's words.

import { execFile } from "node:child_process";
import { patience } from "../support/patience.ts";

export interface KubectlOptions {
  /** What `-f -` reads. */
  readonly input?: string;
  /** Another user's; the administrator's unless given. */
  readonly kubeconfig?: string;
  readonly timeoutMs?: number;
}

export interface Kubectl {
  readonly program: string;
  readonly home: string;
  readonly kubeconfig: string;
}

/** kubectl ended with an exit code other than 0; the message is what it said. */
export class KubectlError extends Error {
  override readonly name = "KubectlError";
}

const maxBuffer = 1 << 28;

export function kubectl(
  where: Kubectl,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: where.home,
      KUBECONFIG: options.kubeconfig ?? where.kubeconfig,
    };
    const settings = {
      env,
      timeout: patience(options.timeoutMs ?? 60_000),
      maxBuffer,
      encoding: "utf8",
    } as const;
    const child = execFile(where.program, args, settings, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new KubectlError(stderr === "" ? error.message : stderr.trim()));
    });
    child.stdin?.on("error", () => {
      // It ended without reading everything; its exit code says why.
    });
    child.stdin?.end(options.input ?? "");
  });
}
