// A cluster in a process of its own, for the test that kills that process: says on one line, as JSON, which folders are its
// state, and then does nothing. Nothing of the cluster may outlive it.

import { startCluster } from "./cluster.ts";
import { onOvn } from "./grounds.ts";

const cluster = await startCluster();
const { dir, plane } = cluster;
process.stdout.write(`${JSON.stringify([dir, plane.dir, onOvn(cluster).ovn.dir])}\n`);
setInterval(() => undefined, 60_000);
