// Northgate's Deployment is upgraded from the image of another commit to this tree's, and back, while connections go on.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtBase, releaseBefore } from "../../../scripts/support/built-base.ts";
import { Variables } from "../../../scripts/support/variables.ts";
import type { KubeletNode } from "../kubelet-node.ts";
import { imageOf } from "../prepare.ts";
import { deployment, type Stage, workers } from "../stage.ts";
import { nodeNamed } from "./containers.ts";

const repository = "docker.io/library/northgate";
const [old, present] = [`${repository}:before`, `${repository}:after`];

/** `BASE` is the commit of the image before. */
export async function upgraded(stage: Stage): Promise<null> {
  const image = await stage.pods.kubectl(
    ...["get", deployment, "-o", "jsonpath={.spec.template.spec.containers[0].image}"],
  );
  await bringOld(stage, new Variables(process.env).text("BASE", releaseBefore()));
  for (const next of [old, present, old, image])
    await stage.replaces(() => stage.pods.kubectl("set", "image", deployment, `northgate=${next}`));
  return null;
}

/** The nodes of the replicas have both images, by names of their own. */
async function bringOld(stage: Stage, commit: string): Promise<void> {
  const nodes = workers.map((name) => nodeNamed(stage, name));
  const lacking: KubeletNode[] = [];
  for (const node of nodes)
    if (!(await node.ctr("images", "list", "-q")).split("\n").includes(old)) lacking.push(node);
  if (lacking.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), "ng-image-"));
  try {
    const { archive, name } = await imageOf(builtBase(commit), folder);
    for (const node of lacking) await importOld(node, archive, name);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The archive names its image as the present one is named, where the versions are equal. */
async function importOld(node: KubeletNode, archive: string, name: string): Promise<void> {
  const tag = (from: string, to: string) => node.ctr("images", "tag", "--force", from, to);
  const names = (await node.ctr("images", "list", "-q")).split("\n");
  const now = names.find((one) => one.startsWith(`${repository}:`));
  if (now === undefined) throw new Error(`${node.name} has no image of Northgate`);
  await tag(now, present);
  await node.ctr("images", "import", archive);
  await tag(name, old);
  await tag(present, now);
}
