// What happens to Northgate's Deployment and its nodes. Each fault is seen through: what must go on meanwhile goes on, an edit of a
// policy is enforced while the fault lasts, and then it is taken back.

import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { isReady, type PodStatus } from "../northgate-pods.ts";
import { deployment, type Stage, workers } from "../stage.ts";
import { containerOf, nodeNamed, restartsOf } from "./containers.ts";
import { tokensExpire } from "./token.ts";
import { cannotStart, memoryLimited, otherFlag } from "./updates.ts";
import { upgraded } from "./upgrade.ts";

const waitMs = 90_000;
const selector = "app.kubernetes.io/name=northgate";

export interface ClusterFault {
  readonly name: string;
  /** Half a minute and more, such as until the control plane misses a node: in `make cluster-faults` alone. */
  readonly isLong?: boolean;
  /** Only where `ONLY` names it: what it needs beside the cluster. */
  readonly needs?: string;
  /** Resolves when all is whole again, with the milliseconds until the other replica wrote; null: no other one had to. */
  readonly run: (stage: Stage) => Promise<number | null>;
}

export const clusterFaults: readonly ClusterFault[] = [
  { name: "the writer's pod is deleted", run: podDeleted },
  { name: "the writer's process is killed", run: processKilled },
  { name: "a rolling restart", run: rollingRestart },
  { name: "an update with another flag", run: otherFlag, isLong: true },
  { name: "an update whose pods cannot start", run: cannotStart, isLong: true },
  { name: "the writer's node is drained", run: drained },
  { name: "both nodes are drained at once", run: bothDrained, isLong: true },
  { name: "the writer exceeds its memory limit", run: memoryLimited },
  { name: "the writer's kubelet ends", run: kubeletEnds, isLong: true },
  { name: "the writer's node is lost", run: nodeLost, isLong: true },
  { name: "an upgrade from another build, and back", run: upgraded, isLong: true, needs: "a build of BASE" },
  { name: "the first tokens expire", run: tokensExpire, isLong: true, needs: "a quarter of an hour" },
];

async function podDeleted(stage: Stage): Promise<number> {
  const { writer, other } = await stage.roles();
  const since = Date.now();
  await stage.cluster.plane.api.text("DELETE", `/api/v1/namespaces/northgate-system/pods/${writer}`);
  const took = await stage.takesOver(other, since);
  await stage.enforcesAnEdit();
  await stage.isWhole();
  return took;
}

/** The kubelet starts the container again, in the same pod. */
async function processKilled(stage: Stage): Promise<number> {
  const { writer, node, other } = await stage.roles();
  const before = await restartsOf(stage, writer);
  const { pid } = await containerOf(stage, writer, node);
  const since = Date.now();
  await nodeNamed(stage, node).kill(pid);
  const took = await stage.takesOver(other, since);
  await stage.enforcesAnEdit();
  await eventually(async () => {
    if ((await restartsOf(stage, writer)) !== before + 1) throw new Error("the container does not run again");
  }, waitMs);
  await stage.isWhole();
  return took;
}

async function rollingRestart(stage: Stage): Promise<null> {
  await stage.replaces(() => stage.pods.kubectl("rollout", "restart", deployment));
  return null;
}

/** The PodDisruptionBudget lets one replica go. */
async function drained(stage: Stage): Promise<number> {
  const { node, other } = await stage.roles();
  const since = Date.now();
  await stage.pods.kubectl("drain", node, "--ignore-daemonsets", "--force", `--pod-selector=${selector}`);
  const took = await stage.takesOver(other, since);
  await stage.enforcesAnEdit();
  await stage.pods.kubectl("uncordon", node);
  await stage.isWhole();
  return took;
}

/** Both are cordoned, so that a replica that is evicted has no place to go to: the PodDisruptionBudget keeps the other one. */
async function bothDrained(stage: Stage): Promise<null> {
  const before = await stage.pods.replicas();
  const options = ["--ignore-daemonsets", "--force", "--timeout=15s", `--pod-selector=${selector}`];
  const ended = await stage.pods.kubectl("drain", ...workers, ...options).then(
    () => "both replicas were evicted",
    (error: unknown) => String(error),
  );
  if (!ended.includes("disruption budget")) throw new Error(ended);
  const left = await stage.pods.replicas();
  if (left.length !== 1 || !before.includes(left[0] ?? ""))
    throw new Error(`ready: ${left.join() || "none"}`);
  await stage.enforcesAnEdit();
  await stage.pods.kubectl("uncordon", ...workers);
  await stage.isWhole();
  return null;
}

/** Containers go on, and the replica goes on to write, while nothing tells of them. */
async function kubeletEnds(stage: Stage): Promise<null> {
  const { writer, node } = await stage.roles();
  const before = await containerOf(stage, writer, node);
  const lost = nodeNamed(stage, node);
  await lost.stopKubelet();
  try {
    await stage.enforcesAnEdit();
    await becomes(stage, node, false);
    await stage.enforcesAnEdit();
  } finally {
    await lost.startKubelet();
  }
  await becomes(stage, node, true);
  await stage.isWhole();
  const after = await containerOf(stage, writer, node);
  if (after.id !== before.id || after.pid !== before.pid) throw new Error(`${writer} was started again`);
  if ((await stage.roles()).writer !== writer) throw new Error(`${writer} no longer writes`);
  return null;
}

async function nodeLost(stage: Stage): Promise<number> {
  const { node, other } = await stage.roles();
  const lost = nodeNamed(stage, node);
  const since = Date.now();
  await lost.stop();
  let took: number;
  try {
    took = await stage.takesOver(other, since);
    await stage.enforcesAnEdit();
    await becomes(stage, node, false);
  } finally {
    await lost.start();
  }
  await becomes(stage, node, true);
  await stage.isWhole();
  return took;
}

/** What the API server says of a Node. */
async function becomes({ cluster }: Stage, node: string, ready: boolean): Promise<void> {
  await eventually(async () => {
    const said = await cluster.plane.kubectl(["get", "node", node, "-o", "json"]);
    if (isReady((JSON.parse(said) as { readonly status: PodStatus }).status) !== ready)
      throw new Error(`${node} is ${ready ? "not Ready" : "Ready"}`);
    await sleep(500);
  }, waitMs);
}
