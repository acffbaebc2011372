// A cluster with kubelets on which Northgate's Deployment runs on two nodes while streams of connections go on on a third one: where faults
// happen.

import { eventually } from "../../test/support/eventually.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import { installed } from "../../src/dialects.ts";
import { kindFlags } from "../../test/support/dialects.ts";
import { converged } from "../fresh-rows.ts";
import { type Cluster, startKubeletCluster } from "./cluster.ts";
import { installCentral } from "./install.ts";
import { NorthgatePods } from "./northgate-pods.ts";
import { withImage } from "./prepare.ts";
import { Streams } from "./streams.ts";

export const deployment = "deployment/northgate";
/** Of the replicas. */
export const workers = ["node-1", "node-2"] as const;
const streamsNode = "node-3";
const waitMs = 60_000;
const product = installed(kindFlags({ networkPolicy: true }));

interface Roles {
  /** The replica that writes. */
  readonly writer: string;
  /** The writer's. */
  readonly node: string;
  readonly other: string;
}

export class Stage {
  readonly cluster: Cluster;
  readonly pods: NorthgatePods;
  readonly streams: Streams;

  private constructor(cluster: Cluster, streams: Streams) {
    this.cluster = cluster;
    this.pods = new NorthgatePods(cluster);
    this.streams = streams;
  }

  static async open(tell: (line: string) => void = () => undefined): Promise<Stage> {
    const cluster = await withImage((image) => startKubeletCluster({ nodes: 3, images: [image], tell }));
    try {
      tell("installing Northgate");
      await cluster.plane.kubectl(["cordon", streamsNode]);
      await installCentral(cluster);
      await new NorthgatePods(cluster).rolledOut(deployment);
      tell("starting the streams of connections");
      return new Stage(cluster, await Streams.start(cluster, streamsNode, workers[0]));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.cluster.stop();
  }

  /** As soon as both replicas are ready and one of them writes: a pod is not ready for a while when its kubelet has come back. */
  async roles(): Promise<Roles> {
    let roles: Roles = { writer: "", node: "", other: "" };
    await eventually(async () => {
      roles = await this.#rolesNow();
    }, waitMs);
    return roles;
  }

  async #rolesNow(): Promise<Roles> {
    const writer = await this.pods.writer();
    const ready = await this.pods.ready();
    const other = ready.find(({ metadata }) => metadata.name !== writer)?.metadata.name;
    const node = ready.find(({ metadata }) => metadata.name === writer)?.spec.nodeName;
    if (node === undefined || other === undefined || ready.length !== 2)
      throw new Error(`${ready.length} replicas are ready`);
    return { writer, node, other };
  }

  /** The milliseconds from `since`, by the clock, until the replica said that it writes. */
  async takesOver(replica: string, since: number): Promise<number> {
    let at = 0;
    await eventually(async () => {
      at = (await this.pods.beganToWrite(replica)) ?? 0;
      if (at < since) throw new Error(`${replica} does not write`);
    }, waitMs);
    return at - since;
  }

  /** An edit of a policy is in the rows, which are those of a fresh start. */
  async enforcesAnEdit(): Promise<void> {
    await this.streams.edit();
    const { plane, dir, ovn } = this.cluster;
    const kinds = "anp,banp,cnp,netpol";
    await converged({ plane, dir, kinds, nb: ovn.nb, installed: product, zone: null });
  }

  /** The AdminNetworkPolicy gets another generation, and then a condition of it. */
  async writesConditions(): Promise<void> {
    await this.streams.renew();
    await eventually(async () => {
      const said = await this.cluster.plane.kubectl(["get", "adminnetworkpolicies", "closed", "-o", "json"]);
      const { metadata, status } = JSON.parse(said) as KubernetesObject;
      const { conditions = [] } = (status ?? {}) as {
        readonly conditions?: readonly { readonly observedGeneration?: number }[];
      };
      if (!conditions.some(({ observedGeneration }) => observedGeneration === metadata.generation))
        throw new Error(
          `no condition of generation ${String(metadata.generation)}: ${JSON.stringify(conditions)}`,
        );
    }, waitMs);
  }

  /** Does what rolls the Deployment out: other pods are ready then, and enforce an edit. */
  async replaces(rollOut: () => Promise<unknown>): Promise<void> {
    const before = await this.pods.replicas();
    await rollOut();
    await this.isWhole();
    await this.enforcesAnEdit();
    const stayed = (await this.pods.replicas()).filter((pod) => before.includes(pod));
    if (stayed.length > 0) throw new Error(`${stayed.join()} did not end`);
  }

  /** Both replicas are ready, on both nodes, and one of them writes. */
  async isWhole(): Promise<void> {
    await this.pods.rolledOut(deployment);
    await eventually(async () => {
      const { writer, other } = await this.#rolesNow();
      const nodes = await this.pods.nodes();
      if (nodes.join() !== workers.join()) throw new Error(`${writer} and ${other} are on ${nodes.join()}`);
    }, waitMs);
  }
}
