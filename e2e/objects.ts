// Brings objects into the cluster and out of it: files by kubectl as a user would, objects over plain requests. Gives
// pods and nodes the status that kubelets would, and NB a port for every pod, as the CNI would.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { portName } from "../src/nbdb/rows/names.ts";
import type { Ovn } from "../tools/sandbox/ovn.ts";
import { type ApiClient, isObject, type KubernetesObject } from "../test/kube/api.ts";
import { createAll, pathOf, putStatus, remove, removeAll } from "../test/kube/bulk.ts";
import type { ControlPlane } from "../test/kube/control-plane.ts";
import { applied, listed } from "../test/kube/resources.ts";

/** In one call of ovn-nbctl, and on one switch: a set that grows is written whole each time. */
const portsAtOnce = 500;

const own = /^(default|kube-.*|northgate-system)$/;

export class Objects {
  readonly #plane: ControlPlane;
  readonly #ovn: Ovn | null;
  readonly #kinds: string;
  readonly #ports = new Set<string>();
  #switches = 0;

  /** Without an OVN pods get no ports. The kinds of policy are as kubectl takes them. */
  constructor(plane: ControlPlane, ovn: Ovn | null, kinds: string) {
    this.#plane = plane;
    this.#ovn = ovn;
    this.#kinds = kinds;
  }

  get #api(): ApiClient {
    return this.#plane.api;
  }

  /** `kubectl apply` of files or folders, then the statuses that stand in them. */
  async applyFiles(...paths: readonly string[]): Promise<string> {
    const objects = paths.flatMap(read);
    await this.addPorts(objects);
    const said = await this.#plane.kubectl(["apply", "-R", ...paths.flatMap((path) => ["-f", path])]);
    await this.#putStatuses(objects);
    return said;
  }

  /** As `kubectl apply --server-side` does it, then their statuses. */
  async apply(...objects: readonly KubernetesObject[]): Promise<void> {
    if (objects.length === 0) return;
    await this.addPorts(objects);
    for (const object of objects) await applied(this.#api, object);
    await this.#putStatuses(objects);
  }

  /** Over plain requests, in no order. */
  async create(objects: readonly KubernetesObject[]): Promise<readonly KubernetesObject[]> {
    await this.addPorts(objects);
    return createAll(this.#api, objects);
  }

  async remove(...objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of objects) await remove(this.#api, object);
  }

  /** A port in NB for every pod among these. A pod that comes back finds its port; NB is asked for new ones only. */
  async addPorts(objects: readonly KubernetesObject[]): Promise<void> {
    if (this.#ovn === null) return;
    const names = objects
      .filter(({ kind }) => kind === "Pod")
      .map(({ metadata }) => portName(metadata.namespace ?? "default", metadata.name))
      .filter((name) => !this.#ports.has(name));
    for (let from = 0; from < names.length; from += portsAtOnce) {
      const at = `sw${this.#switches++}`;
      const adds = names.slice(from, from + portsAtOnce).flatMap((name) => ["--", "lsp-add", at, name]);
      await this.#ovn.nbctl("ls-add", at, ...adds);
      for (const name of names) this.#ports.add(name);
    }
  }

  /** Removes every policy, pod, namespace and node but the system's own. */
  async wipe(): Promise<void> {
    for (const kinds of [`${this.#kinds},pods,nodes`, "ns"]) {
      const strangers = (await listed(this.#api, kinds)).filter(
        ({ kind, metadata }) => kind !== "Namespace" || !own.test(metadata.name),
      );
      await removeAll(this.#api, strangers);
    }
  }

  async get(object: KubernetesObject): Promise<KubernetesObject> {
    return this.#api.object("GET", pathOf(object));
  }

  async #putStatuses(objects: readonly KubernetesObject[]): Promise<void> {
    await Promise.all(
      objects.map(async (object) => {
        if (object.status === undefined) return;
        await putStatus(this.#api, await this.get(object), object.status);
      }),
    );
  }
}

/** The objects in a file, or in the YAML files of a folder. */
function read(path: string): readonly KubernetesObject[] {
  if (statSync(path).isDirectory()) return readdirSync(path).flatMap((name) => read(join(path, name)));
  if (!path.endsWith(".yaml")) return [];
  const documents = parseAllDocuments(readFileSync(path, "utf8"));
  if ("empty" in documents) return [];
  return documents.map((document): unknown => document.toJS()).filter(isObject);
}
