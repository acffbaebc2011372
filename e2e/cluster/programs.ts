// The programs of a cluster with kubelets, below .cache: what this repository builds (programs/), kubelet and scheduler
// (../suites/node), containerd of Debian. Says what is missing.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "../../tools/sandbox/program.ts";
import { cgroupsMissing } from "./cgroups.ts";
import { missingRights } from "../conformance/programs.ts";

const bin = fileURLToPath(new URL("../../.cache/cluster/bin", import.meta.url));
/** Of containerd and its companions. */
export const runtimeFolder = fileURLToPath(new URL("../../.cache/containerd", import.meta.url));

export const nodePrograms = ["cni", "pause", "coredns", "kubelet", "kube-scheduler"] as const;
export type NodeProgram = (typeof nodePrograms)[number];

export function pathOfNodeProgram(program: NodeProgram): string {
  return join(bin, program);
}

/** What of a machine's own such a cluster needs and it lacks, in words; null: it has all of it. */
export function lackedByMachine(): string | null {
  if (!/\boverlay$/m.test(readFileSync("/proc/filesystems", "utf8")))
    return "its kernel has no overlayfs, or has not loaded it";
  return missingRights() ?? cgroupsMissing();
}

/** Which programs are not there, in words; null: none. */
export function missingPrograms(): string | null {
  const missing = nodePrograms.filter((program) => !isProgram(pathOfNodeProgram(program)));
  if (missing.length > 0) return `no ${missing.join(", ")} in ${bin}: make cluster builds them`;
  return isProgram(join(runtimeFolder, "bin", "containerd")) ? null : `no containerd in ${runtimeFolder}`;
}
