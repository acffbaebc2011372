// The small cluster that the tour and the playground show: the documentation's sample policies with a cluster around
// them, and a pod of the open tenant, in a folder of its own that one can edit.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const example = fileURLToPath(new URL("../../examples/cluster-control", import.meta.url));

const openTenant = `apiVersion: v1
kind: Pod
metadata:
  name: open-7c9bd5d4f8-x2x7k
  namespace: open
  labels:
    app: open
spec:
  nodeName: ovn-worker
  containers:
    - name: main
      image: registry.k8s.io/pause:3.10
status:
  phase: Running
  podIP: 10.244.1.5
  podIPs:
    - ip: 10.244.1.5
`;

/** Lays the manifests out in `folder`. */
export function layOut(folder: string): void {
  cpSync(example, folder, { recursive: true });
  writeFileSync(join(folder, "cluster", "open-tenant.yaml"), openTenant);
}
