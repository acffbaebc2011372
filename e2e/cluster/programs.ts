// The programs of a cluster with kubelets, below .cache: what this repository builds (programs/), kubelet and scheduler
// (../suites/node), containerd of Debian. Says what is missing.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "../../tools/sandbox/program.ts";
import { cgroupsMissing } from "./cgroups.ts";
import { missingRights } from "../conformance/programs.ts";

const bin = fileURLToPath(new URL("../../.cache/cluster/bin", import.meta.url));
/** Of containerd and its companions. */
export const runtimeFolder = fileURLToPath(new URL("../../.cache/containerd", import.meta.url));

export const nodePrograms = ["cni", "pause", "kubelet", "kube-scheduler"] as const;
export type NodeProgram = (typeof nodePrograms)[number];

export function pathOfNodeProgram(program: NodeProgram): string {
  return join(bin, program);
}

/** Why this machine cannot have such a cluster, in words; null: it can. */
export function missingForCluster(): string | null {
  const missing = nodePrograms.filter((program) => !isProgram(pathOfNodeProgram(program)));
  if (missing.length > 0) return `no ${missing.join(", ")} in ${bin}: make cluster builds them`;
  if (!isProgram(join(runtimeFolder, "bin", "containerd"))) return `no containerd in ${runtimeFolder}`;
  return missingRights() ?? cgroupsMissing();
}
