// Nodes by name, and what the API server and containerd say of Northgate's containers on them.

import type { KubeletNode } from "../kubelet-node.ts";
import type { Stage } from "../stage.ts";

export function nodeNamed({ cluster }: Pick<Stage, "cluster">, name: string): KubeletNode {
  const node = cluster.nodes.find((one) => one.name === name);
  if (node === undefined) throw new Error(`there is no ${name}`);
  return node;
}

interface ContainerStatus {
  readonly containerID?: string;
  readonly restartCount: number;
  readonly state: Ended;
  readonly lastState: Ended;
}
interface Ended {
  readonly terminated?: { readonly reason?: string };
}

async function statusesOf(stage: Stage, ...which: readonly string[]): Promise<readonly ContainerStatus[]> {
  const { items } = JSON.parse(await stage.pods.kubectl("get", "pods", ...which, "-o", "json")) as {
    readonly items: readonly {
      readonly status: { readonly containerStatuses?: readonly ContainerStatus[] };
    }[];
  };
  return items.flatMap(({ status }) => status.containerStatuses ?? []);
}

const named = (pod: string) => `--field-selector=metadata.name=${pod}`;

export async function restartsOf(stage: Stage, pod: string): Promise<number> {
  const [status] = await statusesOf(stage, named(pod));
  return status?.restartCount ?? 0;
}

/** Why containers of the pods on the node ended. */
export async function endsOn(stage: Stage, node: string): Promise<readonly string[]> {
  const statuses = await statusesOf(stage, `--field-selector=spec.nodeName=${node}`);
  return statuses.flatMap(({ state, lastState }) =>
    [state, lastState].flatMap(({ terminated }) => terminated?.reason ?? []),
  );
}

/** The container of a pod that runs: `pid` is that of its process, in the node's PID namespace. */
export async function containerOf(
  stage: Stage,
  pod: string,
  node: string,
): Promise<{ readonly id: string; readonly pid: string }> {
  const [status] = await statusesOf(stage, named(pod));
  const id = status?.containerID?.replace("containerd://", "") ?? "";
  return { id, pid: await nodeNamed(stage, node).taskOf(id) };
}
