// Answers: which control plane can this machine run? The one in $KUBEBUILDER_ASSETS when that is set (the convention of
// envtest), else the one that e2e/controlplane/build.sh built into .cache/controlplane. Builds nothing itself: that
// takes minutes. What it returns has all three programs.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram, run } from "../../tools/sandbox/program.ts";

const programs = ["kube-apiserver", "etcd", "kubectl"] as const;
export type ControlPlaneProgram = (typeof programs)[number];

export interface Assets {
  readonly source: "env" | "built";
  /** As kube-apiserver prints it: "v1.34.4". */
  readonly version: string;
  /** Absolute paths. */
  readonly programs: Readonly<Record<ControlPlaneProgram, string>>;
}

const built = fileURLToPath(new URL("../../.cache/controlplane/bin", import.meta.url));

/** The control plane, or one line that says why there is none and what to do. */
export async function findControlPlane(env: NodeJS.ProcessEnv = process.env): Promise<Assets | string> {
  const named = env["KUBEBUILDER_ASSETS"];
  if (named !== undefined && named !== "") {
    const found = await assetsIn("env", named);
    return typeof found === "string" ? `KUBEBUILDER_ASSETS=${named} holds no control plane: ${found}` : found;
  }
  const found = await assetsIn("built", built);
  if (typeof found !== "string") return found;
  return (
    `no control plane (${found}): run e2e/controlplane/build.sh, which takes some minutes once, ` +
    `or name a folder with ${programs.join(", ")} in KUBEBUILDER_ASSETS`
  );
}

async function assetsIn(source: Assets["source"], dir: string): Promise<Assets | string> {
  const missing = programs.find((name) => !isProgram(join(dir, name)));
  if (missing !== undefined) return `no ${missing} in ${dir}`;
  const at = (name: ControlPlaneProgram) => join(dir, name);
  try {
    const { stdout } = await run(at("kube-apiserver"), ["--version"]);
    const version = /^Kubernetes (\S+)/.exec(stdout)?.[1] ?? "unknown";
    return {
      source,
      version,
      programs: { "kube-apiserver": at("kube-apiserver"), etcd: at("etcd"), kubectl: at("kubectl") },
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
