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
    /** Beside `app`, which is its name. */
    readonly labels?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { name, node, command, port, labels = {} } = spec;
  const probe =
    port === undefined ? {} : { readinessProbe: { httpGet: { path: "/", port }, periodSeconds: 1 } };
  await plane.kubectl(["apply", "-f", "-"], {
    input: JSON.stringify({
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name, ...labels } } },
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

const failures = ["TIMEOUT", "REFUSED", "DNS", "OTHER"] as const;

/** Of one that it tries now. */
export async function connects(at: Plane, from: string, target: string): Promise<boolean> {
  const said = await connecting(at, from, target);
  if (said === "DNS" || said === "OTHER") throw new Error(`${target}: ${said}`);
  return said === "";
}

/** What comes of a connection that it tries now, as agnhost says it; empty: it is made. DNS: the name of the target has no address. */
export async function connecting(
  { plane }: Plane,
  from: string,
  target: string,
): Promise<"" | (typeof failures)[number]> {
  const said = await plane
    .kubectl(["exec", from, "--", "/agnhost", "connect", "--timeout=1s", target], { timeoutMs: 120_000 })
    .catch((error: unknown) => String(error));
  if (said === "") return said;
  const why = failures.find((one) => said.includes(`${one}\n`) || said.includes(`${one}: `));
  if (why === undefined) throw new Error(said);
  return why;
}
