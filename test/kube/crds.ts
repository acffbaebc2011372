// Installs the policy CRDs of manifests/crds/ on a test's API server, and takes them away. They are served when
// `installCrds` resolves.

import { fileURLToPath } from "node:url";
import type { ControlPlane } from "./control-plane.ts";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";

/** The kinds of policy, by the plural that names their files and paths. */
export const plurals = [
  "adminnetworkpolicies",
  "baselineadminnetworkpolicies",
  "clusternetworkpolicies",
] as const;
export type Plural = (typeof plurals)[number];

// By name: the folder also holds what kustomize needs.
const files = (some: readonly Plural[]) =>
  some.flatMap((plural) => [
    "-f",
    fileURLToPath(new URL(`../../manifests/crds/${plural}.yaml`, import.meta.url)),
  ]);

export async function installCrds(plane: ControlPlane, some: readonly Plural[] = plurals): Promise<void> {
  const crds = files(some);
  await plane.kubectl(["apply", "--server-side", ...crds]);
  await established(plane, crds);
}

/** Resolves once definitions, as kubectl names them, are in force. `kubectl wait` fails on one that has no conditions yet. */
export async function established(
  plane: Pick<ControlPlane, "kubectl">,
  definitions: readonly string[],
): Promise<void> {
  const wait = ["wait", "--for=condition=Established", `--timeout=${patience(30_000)}ms`, ...definitions];
  await eventually(() => plane.kubectl(wait).then(() => undefined), 30_000);
}

/** The policies go with them. */
export async function removeCrds(plane: ControlPlane, some: readonly Plural[] = plurals): Promise<void> {
  // The API server removes the objects first, and may take minutes where the definitions are new and the machine is busy.
  await plane.kubectl(["delete", "--ignore-not-found", ...files(some)], { timeoutMs: 200_000 });
}
