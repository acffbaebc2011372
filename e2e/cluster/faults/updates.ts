// Updates of Northgate's Deployment: one that goes through, and those that stop at their first pod, while the other replica stays.

import { eventually } from "../../../test/support/eventually.ts";
import { deployment, type Stage } from "../stage.ts";
import { endsOn } from "./containers.ts";

const waitMs = 90_000;
const container = "/spec/template/spec/containers/0";

function patch({ pods }: Stage, path: string, value: unknown): Promise<string> {
  return pods.kubectl(
    ...["patch", deployment, "--type=json", "-p", JSON.stringify([{ op: "replace", path, value }])],
  );
}

/** The replica set removes the one that costs least. */
function goesFirst({ pods }: Stage, pod: string): Promise<string> {
  return pods.kubectl("annotate", "pod", pod, "controller.kubernetes.io/pod-deletion-cost=-1");
}

/** Its pods take over from those with other flags (--take-over), and its predecessors when it is undone. */
export async function otherFlag(stage: Stage): Promise<null> {
  const flags = ["run", "--take-over", "--anp-priorities=all"];
  await stage.replaces(() => patch(stage, `${container}/args`, flags));
  await stage.replaces(() => stage.pods.kubectl("rollout", "undo", deployment));
  return null;
}

/** A flag that does not exist: the update stops at the pod in the place of the writer's. */
export async function cannotStart(stage: Stage): Promise<number> {
  const { writer, node, other } = await stage.roles();
  await goesFirst(stage, writer);
  const since = Date.now();
  await patch(stage, `${container}/args`, ["run", "--no-such-flag"]);
  const took = await stage.takesOver(other, since);
  await eventually(async () => {
    const reasons = await endsOn(stage, node);
    if (!reasons.includes("Error")) throw new Error(`ended on ${node}: ${reasons.join() || "none"}`);
  }, waitMs);
  await stage.enforcesAnEdit();
  const ready = await stage.pods.replicas();
  if (ready.join() !== other) throw new Error(`ready: ${ready.join() || "none"}`);
  await stage.pods.kubectl("rollout", "undo", deployment);
  await stage.isWhole();
  return took;
}

/** Of a replica that the Deployment has given a limit below what it needs: the update stops at it, and the other replica stays. */
const littleMemory = "40Mi";

export async function memoryLimited(stage: Stage): Promise<number> {
  const { writer, node, other } = await stage.roles();
  await goesFirst(stage, writer);
  const resources = await stage.pods.kubectl(
    ...["get", deployment, "-o", "jsonpath={.spec.template.spec.containers[0].resources}"],
  );
  const limit = (value: unknown) => patch(stage, `${container}/resources`, value);
  const since = Date.now();
  await limit({ requests: { memory: "16Mi" }, limits: { memory: littleMemory } });
  const took = await stage.takesOver(other, since);
  await eventually(async () => {
    const reasons = await endsOn(stage, node);
    if (!reasons.includes("OOMKilled")) throw new Error(`ended on ${node}: ${reasons.join() || "none"}`);
  }, waitMs);
  await stage.enforcesAnEdit();
  if (!(await stage.pods.replicas()).includes(other)) throw new Error(`${other} is not ready`);
  await limit(JSON.parse(resources));
  await stage.isWhole();
  return took;
}
