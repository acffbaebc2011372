// Connections without a pause from one pod to another, counted by what came of each: what a fault of the controller must not change.

import type { Cluster } from "./cluster.ts";
import { agnhostImage } from "./images.ts";

export interface Counted {
  readonly connected: number;
  readonly refused: number;
}

type Plane = Pick<Cluster, "plane">;

/** A pod of a program of agnhost. Applied when this resolves. */
export async function applyPod(
  { plane }: Plane,
  spec: {
    readonly name: string;
    readonly node: string;
    readonly command: readonly string[];
    readonly port?: number;
  },
): Promise<void> {
  const { name, node, command, port } = spec;
  const probe =
    port === undefined ? {} : { readinessProbe: { httpGet: { path: "/", port }, periodSeconds: 1 } };
  await plane.kubectl(["apply", "-f", "-"], {
    input: JSON.stringify({
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name } } },
      spec: {
        ...{ nodeName: node, terminationGracePeriodSeconds: 1 },
        containers: [{ name, image: agnhostImage, imagePullPolicy: "Never", command, ...probe }],
      },
    }),
  });
}

/**
 * The pod tries one connection after another, once one of them came about or was refused as `expected` says: until its address is known,
 * a new pod is no peer of any policy. Two seconds are two SYN segments.
 */
export async function applyStream(
  at: Plane,
  name: string,
  node: string,
  { target, expected }: { readonly target: string; readonly expected: keyof Counted },
): Promise<void> {
  const loop = `try() { if /agnhost connect --timeout=2s ${target} > /dev/null; then echo connected; else echo refused; fi; }
while [ $(try) != ${expected} ]; do :; done
while :; do try; read -t 0.05 <> <(:) || :; done`;
  await applyPod(at, { name, node, command: ["/bin/bash", "-c", loop] });
}

/** Of all its connections since the pod began. */
export async function countOf({ plane }: Plane, name: string): Promise<Counted> {
  const lines = (await plane.kubectl(["logs", name])).split("\n");
  const count = (word: string) => lines.filter((line) => line === word).length;
  return { connected: count("connected"), refused: count("refused") };
}

/** Of one that it tries now. */
export async function connects({ plane }: Plane, from: string, target: string): Promise<boolean> {
  const said = await plane
    .kubectl(["exec", from, "--", "/agnhost", "connect", "--timeout=1s", target])
    .catch((error: unknown) => String(error));
  if (said === "") return true;
  if (/TIMEOUT|REFUSED/.test(said)) return false;
  throw new Error(said);
}
