// What a cluster adds to a control plane: the kinds of the policy API, and the controllers that its suites or its kubelets need.

import { join } from "node:path";
import { startInBackground, steadyPort } from "../../test/kube/background.ts";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { established, plurals } from "../../test/kube/crds.ts";
import { fetchUpstream, type UpstreamApi } from "../../test/support/upstream.ts";
import { pathOf } from "./programs.ts";

const apis: Readonly<Record<(typeof plurals)[number], UpstreamApi>> = {
  adminnetworkpolicies: "v1alpha1",
  baselineadminnetworkpolicies: "v1alpha1",
  clusternetworkpolicies: "v1alpha2",
};

/** The kinds as their own project defines them, experimental fields among them. */
export async function installUpstream(plane: ControlPlane): Promise<void> {
  const upstream = await fetchUpstream();
  if (typeof upstream === "string") throw new Error(upstream);
  const files = plurals.flatMap((plural) => [
    "-f",
    join(upstream[apis[plural]], "config", "crd", "experimental", `policy.networking.k8s.io_${plural}.yaml`),
  ]);
  await plane.kubectl(["apply", "--server-side", ...files]);
  await established(plane, files);
}

/** They end with the control plane: its folder has their pid file. */
export async function startControllers(
  plane: ControlPlane,
  controllers: readonly string[],
  more: readonly string[] = [],
): Promise<void> {
  const port = await steadyPort();
  await startInBackground(plane.dir, {
    name: "kube-controller-manager",
    program: pathOf("kube-controller-manager"),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      `--cert-dir=${join(plane.dir, "kube-controller-manager")}`,
      `--root-ca-file=${join(plane.dir, "pki", "ca.crt")}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      "--leader-elect=false",
      `--controllers=${controllers.join(",")}`,
      ...more,
    ],
    port,
    ready: () => Promise.resolve(true), // it says nothing of use: what it makes is waited for
  });
}
