// Northgate on a cluster with kubelets, as docs/install.md has it: the manifests of this repository by kustomize, with the address of
// the Northbound database, the Secret with the files for TLS, and nothing else changed.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cluster } from "./cluster.ts";

const manifests = fileURLToPath(new URL("../../manifests", import.meta.url));

/** Two replicas on two nodes, beside a central Northbound database. Applied when this resolves, and ready some time later. */
export async function installCentral({
  dir,
  plane,
  nbTls,
}: Pick<Cluster, "dir" | "plane" | "nbTls">): Promise<void> {
  const folder = folderIn(dir);
  mkdirSync(folder, { recursive: true });
  cpSync(nbTls.secret, folder, { recursive: true });
  const container = { name: "northgate", env: [{ name: "NORTHGATE_NB", value: nbTls.remote }] };
  writeFileSync(
    join(folder, "kustomization.yaml"),
    JSON.stringify({
      resources: [relative(folder, join(manifests, "overlays", "central"))],
      components: [relative(folder, join(manifests, "components", "network-policy"))],
      secretGenerator: [
        {
          ...{ name: "northgate-nb", namespace: "northgate-system", files: ["tls.key", "tls.crt", "ca.crt"] },
          options: { disableNameSuffixHash: true },
        },
      ],
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
