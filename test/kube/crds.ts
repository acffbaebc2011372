// Installs the policy CRDs of manifests/crds/ on a test's API server, and takes them away. They are served when
// `installCrds` resolves.

import { fileURLToPath } from "node:url";
import type { ControlPlane } from "./control-plane.ts";
import { patience } from "../support/patience.ts";

// By name: the folder also holds what kustomize needs.
const crds = ["adminnetworkpolicies", "baselineadminnetworkpolicies"].flatMap((plural) => [
  "-f",
  fileURLToPath(new URL(`../../manifests/crds/${plural}.yaml`, import.meta.url)),
]);

export async function installCrds(plane: ControlPlane): Promise<void> {
  await plane.kubectl(["apply", "--server-side", ...crds]);
  await plane.kubectl(["wait", "--for=condition=Established", `--timeout=${patience(30_000)}ms`, ...crds]);
}

/** The policies go with them. */
export async function removeCrds(plane: ControlPlane): Promise<void> {
  await plane.kubectl(["delete", "--ignore-not-found", ...crds]);
}
