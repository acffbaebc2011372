// What the API server and the logs say of Northgate's pods on a cluster with kubelets: which are ready, and which one writes.

import { patience } from "../../test/support/patience.ts";
import type { Cluster } from "./cluster.ts";

const namespace = "northgate-system";
const writes = "this instance writes to the Northbound database";

export interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

export interface PodObject {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: PodStatus;
}

export function isReady({ conditions = [] }: PodStatus): boolean {
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

export class NorthgatePods {
  readonly #plane: Cluster["plane"];

  constructor({ plane }: Pick<Cluster, "plane">) {
    this.#plane = plane;
  }

  /** In its namespace. */
  kubectl(...args: readonly string[]): Promise<string> {
    return this.#plane.kubectl(["-n", namespace, ...args], { timeoutMs: patience(120_000) });
  }

  /** Those that are ready, and not about to end. */
  async ready(): Promise<readonly PodObject[]> {
    const { items } = JSON.parse(await this.kubectl("get", "pods", "-o", "json")) as {
      readonly items: readonly PodObject[];
    };
    return items.filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && isReady(status),
    );
  }

  /** By name. */
  async replicas(): Promise<readonly string[]> {
    return (await this.ready()).map(({ metadata }) => metadata.name);
  }

  /** The nodes of those that are ready, sorted. */
  async nodes(): Promise<readonly string[]> {
    return (await this.ready()).map(({ spec }) => spec.nodeName ?? "").sort();
  }

  async rolledOut(workload: string): Promise<void> {
    await this.kubectl("rollout", "status", workload, "--timeout=100s");
  }

  /** The last word of a replica on whether it writes. */
  async isWriter(pod: string): Promise<boolean> {
    const log = await this.kubectl("logs", pod);
    return log.lastIndexOf(writes) > log.lastIndexOf("this one is on standby");
  }

  /** When the replica began to write the last time, in milliseconds of the clock; null: it never did. */
  async beganToWrite(pod: string): Promise<number | null> {
    const line = (await this.kubectl("logs", pod)).split("\n").findLast((one) => one.includes(writes));
    return line === undefined ? null : Date.parse((JSON.parse(line) as { readonly time: string }).time);
  }

  /** Throws unless exactly one ready replica says that it writes. */
  async writer(): Promise<string> {
    const pods = await this.replicas();
    const writers = (
      await Promise.all(pods.map(async (pod) => ((await this.isWriter(pod)) ? [pod] : [])))
    ).flat();
    const [writer] = writers;
    if (writer === undefined || writers.length > 1) throw new Error(`${writers.length} replicas write`);
    return writer;
  }
}
