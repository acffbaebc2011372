// A real API server with the objects of a run, for instances of the program with users of their own. The audit log tells what
// the second one asked for: it stands by, and may write nothing.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Audit } from "../../e2e/audit.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import { pathOf, putStatus, remove } from "../../test/kube/bulk.ts";
import { type ControlPlane, startControlPlane } from "../../test/kube/control-plane.ts";
import { installCrds } from "../../test/kube/crds.ts";
import { patience } from "../../test/support/patience.ts";
import { Way } from "./way.ts";

const namespace = "northgate-system";
const second = "northgate-second";
const rbac = fileURLToPath(new URL("../../manifests/base/rbac.yaml", import.meta.url));
/** How long an edit is tried again while the API server is away. */
const triesMs = 60_000;
const reads = new Set(["get", "list", "watch"]);

const nameOf = ({ kind, metadata }: KubernetesObject) =>
  `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;

interface Condition {
  readonly status: string;
  readonly observedGeneration: number;
}

export interface PolicyStatus {
  readonly name: string;
  readonly generation: number;
  readonly conditions: readonly Condition[];
}

export class Cluster {
  readonly plane: ControlPlane;
  /** Of the two instances to the API server. */
  readonly ways: readonly Way[];
  /** Of the two instances, each by its own way. */
  readonly kubeconfigs: readonly string[];
  readonly #audit: Audit;
  readonly #dir: string;
  #objects: ReadonlyMap<string, KubernetesObject> = new Map();

  private constructor(
    plane: ControlPlane,
    ways: readonly Way[],
    kubeconfigs: readonly string[],
    { audit, dir }: { readonly audit: Audit; readonly dir: string },
  ) {
    this.plane = plane;
    this.ways = ways;
    this.kubeconfigs = kubeconfigs;
    this.#audit = audit;
    this.#dir = dir;
  }

  static async start(): Promise<Cluster> {
    const dir = mkdtempSync(join(tmpdir(), "ngf-kube-"));
    const audit = new Audit(dir, [second]);
    const plane = await startControlPlane({
      users: [{ name: second, by: "token" }],
      apiServerArgs: audit.apiServerArgs,
    });
    try {
      await plane.kubectl(["create", "namespace", namespace]);
      await plane.kubectl(["apply", "-f", rbac]);
      for (const binding of [
        ["clusterrolebinding", "--clusterrole=northgate"],
        ["rolebinding", "--namespace=default", "--role=northgate-events"],
      ])
        await plane.kubectl(["create", ...binding, "second", `--user=${second}`]);
      await installCrds(plane);
      const direct = [await plane.account(namespace, "northgate"), plane.kubeconfigOf(second)];
      const ways: Way[] = [];
      const kubeconfigs: string[] = [];
      for (const [at, from] of direct.entries()) {
        const way = await Way.open(plane);
        const to = join(dir, `kubeconfig${at}`);
        way.kubeconfig(from, to);
        ways.push(way);
        kubeconfigs.push(to);
      }
      return new Cluster(plane, ways, kubeconfigs, { audit, dir });
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  /** Makes the cluster's objects exactly these. While the API server is away it tries again. */
  async become(objects: readonly KubernetesObject[]): Promise<void> {
    const after = new Map(objects.map((object) => [nameOf(object), object]));
    const since = performance.now();
    for (;;) {
      try {
        await this.#write(after);
        this.#objects = after;
        return;
      } catch (error) {
        if (performance.now() - since > patience(triesMs)) throw error;
        await sleep(200);
      }
    }
  }

  /** The conditions of the objects' policies, as the API server has them now. */
  async conditions(): Promise<readonly PolicyStatus[]> {
    const policies = [...this.#objects.values()].filter(({ kind }) => kind.endsWith("NetworkPolicy"));
    return Promise.all(
      policies.map(async (policy) => {
        const { metadata, status } = await this.plane.api.object("GET", pathOf(policy));
        const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
        return { name: metadata.name, generation: metadata.generation ?? 0, conditions };
      }),
    );
  }

  /** What the second instance did to the cluster so far beside reading. */
  writes(): readonly string[] {
    return this.#audit
      .requests()
      .filter(({ verb }) => !reads.has(verb))
      .map(({ verb, what }) => `${verb} ${what}`);
  }

  async stop(): Promise<void> {
    for (const way of this.ways) await way.close();
    await this.plane.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #write(after: ReadonlyMap<string, KubernetesObject>): Promise<void> {
    const { api } = this.plane;
    for (const [name, object] of [...this.#objects].toReversed()) {
      if (after.has(name)) continue;
      await remove(api, object).catch((error: unknown) => {
        // An earlier try has done it.
        if (!String(error).includes(" 404 ")) throw error;
      });
    }
    const changed = [...after].filter(
      ([name, object]) => JSON.stringify(this.#objects.get(name)) !== JSON.stringify(object),
    );
    const items = changed.map(([, { apiVersion, kind, metadata, spec }]) => ({
      apiVersion,
      kind,
      metadata,
      ...(spec === undefined ? {} : { spec }),
    }));
    if (items.length === 0) return;
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    await this.plane.kubectl(["apply", "-f", "-"], { input });
    for (const [, object] of changed) {
      if (object.status !== undefined)
        await putStatus(api, await api.object("GET", pathOf(object)), object.status);
    }
  }
}
