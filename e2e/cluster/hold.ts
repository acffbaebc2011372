// A cluster of one node in a process of its own, with a container that runs, for the test that kills that process: says on one line,
// as JSON, which folders are its state, and then does nothing. Nothing of the cluster may outlive it.

import { startKubeletCluster } from "./cluster.ts";
import { applyPod } from "./stream.ts";

const cluster = await startKubeletCluster({ nodes: 1 });
const { dir, plane, ovn, zones } = cluster;
const databases = [ovn, ...[...zones.values()].map((zone) => zone.ovn)];
await applyPod(cluster, { name: "server", node: "node-1", command: ["/agnhost", "netexec"], port: 8080 });
await plane.kubectl(["wait", "--for=condition=Ready", "pod/server", "--timeout=120s"], {
  timeoutMs: 150_000,
});
process.stdout.write(`${JSON.stringify([dir, plane.dir, ...databases.map((one) => one.dir)])}\n`);
setInterval(() => undefined, 60_000);
