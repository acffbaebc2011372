// Builds or fetches what a cluster with kubelets is made of, each once: the first time takes some ten minutes on two cores, and says how
// far it is.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Build, built } from "../builds.ts";
import { lackedByMachine, missingPrograms, runtimeFolder } from "./programs.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));

const builds: readonly Build[] = [
  ["e2e/controlplane/build.sh"],
  ["e2e/suites/build.sh", join(repository, ".cache", "conformance"), "agnhost", "kube-controller-manager"],
  ["e2e/suites/build.sh", join(repository, ".cache", "cluster"), "kubelet", "kube-scheduler"],
  ["e2e/cluster/programs/build.sh"],
  ["scripts/fetch-containerd.sh", runtimeFolder],
];

/** Null: all of it is there; else why this machine cannot have such a cluster. Throws when a build fails. */
export function prepareCluster(): string | null {
  return lackedByMachine() ?? built(builds) ?? missingPrograms();
}

/** The archive of Northgate's own image, in the folder. */
export function makeImage(folder: string): string {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(repository, "scripts", "oci-image.ts"), folder],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  const [archive = ""] = stdout.split("\n");
  if (status !== 0 || archive === "") throw new Error("scripts/oci-image.ts made no image");
  return archive;
}

/** Starts something with the archive of Northgate's own image, which is removed after that. */
export async function withImage<T>(start: (archive: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "ng-image-"));
  try {
    return await start(makeImage(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
