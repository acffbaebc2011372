// The images of a cluster's own pods, as archives: what holds a pod's namespaces, CoreDNS, and agnhost, which Kubernetes' tests use.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContainerConfig, writeImage } from "../../scripts/support/oci.ts";
import { pathOf } from "../conformance/programs.ts";
import { makeRoot } from "../conformance/root.ts";
import { pauseImage } from "./node-settings.ts";
import { pathOfNodeProgram } from "./programs.ts";

export const agnhostImage = "northgate.example/agnhost:1";
export const corednsImage = "northgate.example/coredns:1";

/** The paths of the archives, in the folder. */
export async function writeOwnImages(folder: string): Promise<readonly string[]> {
  const trees = mkdtempSync(join(tmpdir(), "ng-images-"));
  try {
    const [pause, coredns] = [treeOf(trees, "pause"), treeOf(trees, "coredns")];
    const agnhost = join(trees, "agnhost");
    await makeRoot(agnhost, pathOf("agnhost"));
    rmSync(join(agnhost, "dev"), { recursive: true }); // the runtime has its own
    const archives = [
      join(folder, "pause.tar"),
      join(folder, "coredns.tar"),
      join(folder, "agnhost.tar"),
    ] as const;
    const write = (tree: string, name: string, config: ContainerConfig, archive: string) =>
      writeImage({ tree, name, config, layer: "tar" }, archive);
    write(pause, pauseImage, { Entrypoint: ["/pause"] }, archives[0]);
    write(coredns, corednsImage, { Entrypoint: ["/coredns"] }, archives[1]);
    const config = { Entrypoint: ["/agnhost"], Cmd: ["pause"], Env: ["PATH=/bin:/"] };
    write(agnhost, agnhostImage, config, archives[2]);
    return archives;
  } finally {
    rmSync(trees, { recursive: true, force: true });
  }
}

/** The root of an image that has one program. */
function treeOf(trees: string, program: "pause" | "coredns"): string {
  const tree = join(trees, program);
  mkdirSync(tree);
  copyFileSync(pathOfNodeProgram(program), join(tree, program));
  return tree;
}
