// What `make up` starts, as far as pages ask it: the Northbound database with the rows of the small cluster, and what northd makes
// of them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { layOut } from "../../scripts/support/scene.ts";
import { policies, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { isNode, isPod } from "../../src/model/object.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { eventually } from "../support/eventually.ts";
import { startNorthgate } from "../support/program.ts";

export interface Playground {
  /** As `.cache/sandbox` is: `manifests` in it are followed. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

export async function startPlayground(): Promise<Playground> {
  const folder = mkdtempSync(join(tmpdir(), "ng-docs-"));
  const manifests = join(folder, "manifests");
  layOut(manifests);
  const ovn = await startOvn();
  const { objects } = loadManifests([manifests], policies, references);
  await applyCni(ovn, { pods: objects.filter(isPod), nodes: objects.filter(isNode) });
  const running = startNorthgate([
    "--source",
    `dir:${manifests}`,
    "--nb",
    ovn.nb,
    "--metrics-bind-address",
    "127.0.0.1:0",
  ]);
  const told = () => running.log().filter(({ message }) => message === "a policy is in force");
  await eventually(() => {
    if (told().length !== 2) throw new Error(`not yet in force: ${running.text()}`);
  });
  await ovn.sync();
  return {
    folder,
    env: ovn.env,
    stop: async () => {
      await running.end();
      await ovn.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
