// Stands in for a kubelet and the controllers that a control plane alone has not: runs the pods of one DaemonSet or Deployment
// named northgate as processes on this machine, each with the arguments, variables, mounts and rights that its template gives
// it; writes the status that `kubectl rollout status` waits for; lets a deleted namespace go. Knows nothing of Northgate but
// where its program is. After `stop` none of its processes is left.

import { type ChildProcess, spawn } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../test/kube/api.ts";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { invocation, type Container, type Place, type PodSpec } from "./pod-spec.ts";
import { mainFile } from "../../test/support/main-file.ts";

const system = "/apis/apps/v1/namespaces/northgate-system";
const space = "/api/v1/namespaces/northgate-system";

interface Workload {
  readonly kind: "DaemonSet" | "Deployment";
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas?: number; readonly template: { readonly spec: PodSpec } };
}

/** One pod: what it is made from, and the process of its container when its init containers have ended well. */
class Pod {
  readonly place: Place;
  readonly template: string;
  readonly #dir: string;
  readonly #kubeconfig: string;
  #child: ChildProcess | null = null;
  #stopped = false;
  log = "";
  ready = false;

  constructor(place: Place, template: PodSpec, where: { readonly dir: string; readonly kubeconfig: string }) {
    this.place = place;
    this.template = JSON.stringify(template);
    this.#dir = where.dir;
    this.#kubeconfig = where.kubeconfig;
    void this.#live(template);
  }

  async #live(spec: PodSpec): Promise<void> {
    for (const container of spec.initContainers ?? [])
      while (!this.#stopped && (await this.#run(container, spec)) !== 0) await sleep(500);
    for (const container of spec.containers)
      while (!this.#stopped) {
        const ended = this.#run(container, spec);
        // Without a probe a container is ready as soon as it runs.
        if (container.readinessProbe === undefined) this.ready = true;
        await ended;
      }
  }

  #run(container: Container, spec: PodSpec): Promise<number | null> {
    // The path names the folder, by which the guard knows its processes.
    const node = join(this.#dir, "node");
    const { command, env } = invocation(container, spec, this.place, [node, mainFile]);
    const [first, ...args] = command.map((word) => (word === "/nodejs/bin/node" ? node : word));
    const child = spawn(first ?? "", args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], ...env, NORTHGATE_KUBECONFIG: this.#kubeconfig },
    });
    this.#child = child;
    const file = join(this.#dir, `${this.place.node}.pid`);
    writeFileSync(file, `${child.pid ?? ""}\n`);
    for (const output of [child.stdout, child.stderr])
      output.setEncoding("utf8").on("data", (text: string) => (this.log += text));
    return new Promise((resolve) => {
      child.once("exit", (code) => {
        rmSync(file, { force: true });
        resolve(code);
      });
    });
  }

  /** Where its metrics server listens; null until it says so. */
  get address(): string | null {
    const line = this.log.split("\n").find((one) => one.includes('"metrics are served"'));
    return line === undefined ? null : (JSON.parse(line) as { readonly address: string }).address;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
}

export class Kubelet {
  readonly #plane: ControlPlane;
  readonly #dir: string;
  readonly #places: readonly Place[];
  readonly #pods = new Map<string, Pod>();
  #going = true;
  #work: Promise<void>;

  /** `dir` is where it keeps its files; each place can take one pod. */
  constructor(plane: ControlPlane, dir: string, places: readonly Place[]) {
    this.#plane = plane;
    this.#dir = dir;
    this.#places = places;
    symlinkSync(process.execPath, join(dir, "node"));
    this.#work = this.#follow();
  }

  get pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  /** Ends every pod. Throws what went wrong meanwhile. */
  async stop(): Promise<void> {
    this.#going = false;
    try {
      await this.#work;
    } finally {
      await Promise.all(this.pods.map((pod) => pod.stop()));
    }
  }

  async #follow(): Promise<void> {
    while (this.#going) {
      await this.#finalize();
      const workload = (await this.#get("daemonsets")) ?? (await this.#get("deployments"));
      await this.#sync(workload);
      if (workload !== null) await this.#tell(workload);
      await sleep(200);
    }
  }

  async #get(plural: string): Promise<Workload | null> {
    try {
      return (await this.#plane.api.json("GET", `${system}/${plural}/northgate`)) as Workload;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  async #sync(workload: Workload | null): Promise<void> {
    const wanted = workload === null ? [] : this.#places.slice(0, workload.spec.replicas);
    const template = JSON.stringify(workload?.spec.template.spec);
    const stale = [...this.#pods].filter(
      ([node, pod]) => pod.template !== template || !wanted.some((place) => place.node === node),
    );
    await Promise.all(stale.map(([, pod]) => pod.stop()));
    for (const [node] of stale) this.#pods.delete(node);
    for (const place of wanted) {
      if (workload === null || this.#pods.has(place.node)) continue;
      const { spec } = workload.spec.template;
      const kubeconfig = await this.#plane.account("northgate-system", spec.serviceAccountName);
      this.#pods.set(place.node, new Pod(place, spec, { dir: this.#dir, kubeconfig }));
    }
    for (const pod of this.pods) pod.ready ||= (await probed(pod, "readinessProbe")) === true;
  }

  async #tell({ kind, metadata, spec }: Workload): Promise<void> {
    const { length } = kind === "DaemonSet" ? this.#places : this.#places.slice(0, spec.replicas);
    const ready = this.pods.filter((pod) => pod.ready).length;
    const observed = { observedGeneration: metadata.generation };
    const status =
      kind === "DaemonSet"
        ? {
            desiredNumberScheduled: length,
            currentNumberScheduled: length,
            numberMisscheduled: 0,
            numberReady: ready,
            updatedNumberScheduled: length,
            numberAvailable: ready,
          }
        : { replicas: length, updatedReplicas: length, readyReplicas: ready, availableReplicas: ready };
    try {
      await this.#plane.api.object("PATCH", `${system}/${kind.toLowerCase()}s/northgate/status`, {
        body: { status: { ...observed, ...status } },
        type: "application/merge-patch+json",
      });
    } catch (error) {
      if (!(error instanceof ApiError && [404, 409].includes(error.status))) throw error;
    }
  }

  /** What the controller of namespaces does last. */
  async #finalize(): Promise<void> {
    try {
      const found = await this.#plane.api.object("GET", space);
      if (!("deletionTimestamp" in found.metadata)) return;
      for (const what of ["secrets", "configmaps"]) await this.#plane.api.text("DELETE", `${space}/${what}`);
      await this.#plane.api.object("PUT", `${space}/finalize`, {
        body: { ...found, spec: { finalizers: [] } },
      });
    } catch (error) {
      if (!(error instanceof ApiError && [404, 409].includes(error.status))) throw error;
    }
  }
}

/** Whether the probe that its container has finds it well; null where it has none, or does not listen yet. */
export async function probed(
  { template, address }: { readonly template: string; readonly address: string | null },
  which: "livenessProbe" | "readinessProbe",
): Promise<boolean | null> {
  const [container] = (JSON.parse(template) as PodSpec).containers;
  const path = container?.[which]?.httpGet?.path;
  if (path === undefined || address === null) return null;
  try {
    return (await fetch(`${address}${path}`)).ok;
  } catch {
    return false;
  }
}
