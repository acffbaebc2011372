// `-k DIR`: the manifests that Kustomize makes of a folder. Runs `kustomize build`, or `kubectl kustomize` where there is no kustomize,
// and nothing else: what they need, they say themselves.

import { spawnSync } from "node:child_process";
import type { NamedText } from "../informers/index.ts";
import { lastLine } from "../lib/text/last-line.ts";

const programs = [
  ["kustomize", "build"],
  ["kubectl", "kustomize"],
] as const;
const mostBytes = 64 * 1024 * 1024;

/** Throws an Error of one sentence. */
export function kustomized(folder: string): NamedText {
  for (const [program, command] of programs) {
    const ran = spawnSync(program, [command, folder], { encoding: "utf8", maxBuffer: mostBytes });
    if (codeOf(ran.error) === "ENOENT") continue;
    if (ran.error !== undefined)
      throw new Error(`-k ${folder}: ${program} cannot be run (${ran.error.message})`);
    if (ran.status === 0) return { name: `(kustomize ${folder})`, text: ran.stdout };
    const why = lastLine(ran.stderr) || `exit code ${ran.status ?? "none"}`;
    throw new Error(`-k ${folder}: ${program} ${command} failed: ${why}`);
  }
  throw new Error(
    `-k ${folder}: neither kustomize nor kubectl is on the PATH; where one is: kustomize build ${folder} | northgate … -f -`,
  );
}

function codeOf(error: Error | undefined): unknown {
  return error !== undefined && "code" in error ? error.code : null;
}
