// Builds or fetches what a cluster with kubelets is made of, each once: the first time takes some ten minutes on two cores, and says how
// far it is.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../tools/sandbox/program.ts";
import { patience } from "../../test/support/patience.ts";
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

/** The image of a checkout that is built, and its name there, in the folder. Takes ten seconds of a processor, in a process of its own. */
export async function imageOf(
  checkout: string,
  folder: string,
): Promise<{ readonly archive: string; readonly name: string }> {
  const script = join(checkout, "scripts", "oci-image.ts");
  const { stdout } = await run(process.execPath, [script, folder], { timeoutMs: patience(240_000) });
  const [archive = "", image = ""] = stdout.split("\n");
  const [name = ""] = image.split(" ");
  if (archive === "" || name === "") throw new Error(`${script} made no image`);
  return { archive, name };
}

/** The archive of Northgate's own image, in the folder. */
export async function makeImage(folder: string): Promise<string> {
  return (await imageOf(repository, folder)).archive;
}

/** Starts something while the archive of Northgate's own image is made, which is removed after that. */
export async function withImage<T>(start: (archive: Promise<string>) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "ng-image-"));
  const archive = makeImage(folder);
  try {
    return await start(archive);
  } finally {
    await Promise.allSettled([archive]);
    rmSync(folder, { recursive: true });
  }
}
