// A cluster with kubelets for the suites of others: Northgate as a Deployment on two nodes, and agnhost under the names by which the suites
// ask for it, as there is no registry.

import { type Cluster, startKubeletCluster } from "./cluster.ts";
import { agnhostImage } from "./images.ts";
import { installCentral } from "./install.ts";
import { NorthgatePods } from "./northgate-pods.ts";
import { withImage } from "./prepare.ts";

/** What the manifests of the policy API's suites name, Cyclonus, and Kubernetes' own suite; a kubelet pulls none of them, as each has a tag. */
export const suiteImages = ["2.45", "2.43", "2.56"].map(
  (tag) => `registry.k8s.io/e2e-test-images/agnhost:${tag}`,
);

/** Northgate is ready when this resolves. */
export async function startForSuites(tell: (line: string) => void): Promise<Cluster> {
  const cluster = await withImage((image) => startKubeletCluster({ images: [image], tell }));
  try {
    for (const node of cluster.nodes)
      for (const name of suiteImages) await node.ctr("images", "tag", agnhostImage, name);
    tell("installing Northgate");
    await installCentral(cluster);
    await new NorthgatePods(cluster).rolledOut("deployment/northgate");
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
