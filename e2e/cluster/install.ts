// Northgate on a cluster with kubelets, as docs/install.md has it: the manifests of this repository by kustomize, with the address of
// the Northbound database and nothing else changed.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nbRemote, type Cluster } from "./cluster.ts";

const manifests = fileURLToPath(new URL("../../manifests", import.meta.url));

/** Two replicas on two nodes, beside a central Northbound database. Applied when this resolves, and ready some time later. */
export async function installCentral({ dir, plane }: Pick<Cluster, "dir" | "plane">): Promise<void> {
  const folder = folderIn(dir);
  mkdirSync(folder, { recursive: true });
  const container = { name: "northgate", env: [{ name: "NORTHGATE_NB", value: nbRemote }] };
  writeFileSync(
    join(folder, "kustomization.yaml"),
    JSON.stringify({
      resources: [relative(folder, join(manifests, "overlays", "central"))],
      components: [relative(folder, join(manifests, "components", "network-policy"))],
      patches: [
        {
          patch: JSON.stringify({
            ...{ apiVersion: "apps/v1", kind: "Deployment" },
            metadata: { name: "northgate", namespace: "northgate-system" },
            spec: { template: { spec: { containers: [container] } } },
          }),
        },
      ],
    }),
  );
  await plane.kubectl(["apply", "--server-side", "-k", folder]);
}

/** Nothing of it is left when this resolves but its rows. */
export async function uninstallCentral({ dir, plane }: Pick<Cluster, "dir" | "plane">): Promise<void> {
  await plane.kubectl(["delete", "-k", folderIn(dir)], { timeoutMs: 120_000 });
}

function folderIn(dir: string): string {
  return join(dir, "install");
}
