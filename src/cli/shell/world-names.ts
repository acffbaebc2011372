// The names of what is in a world, for completion: of manifests that were read, or of a cluster that is asked for no more than the word
// under the cursor needs.

import { kindWords } from "../../analysis/end-query.ts";
import type { KubeApi } from "../../kube/index.ts";
import { listNames } from "../../kube/index.ts";
import type { Owner } from "../../model/facts.ts";
import type { ObjectKind, WorldObject } from "../../model/object.ts";
import { factKinds, groupOf, isNamespace, isPod, isReferenced, isSameKind } from "../../model/object.ts";
import { serviceKind } from "../../model/service.ts";
import type { Workload } from "../../model/workload.ts";
import { ownersOf } from "../../model/workload.ts";

export interface WorldNames {
  readonly namespaces: () => Promise<readonly string[]>;
  readonly nodes: () => Promise<readonly string[]>;
  readonly in: (namespace: string) => Promise<NamesOfNamespace>;
}

export interface NamesOfNamespace {
  readonly pods: readonly string[];
  readonly services: readonly string[];
  /** With the word of its kind: `deploy`. */
  readonly workloads: readonly { readonly word: string; readonly name: string }[];
}

export function namesAmong(objects: readonly WorldObject[], workloads: readonly Workload[]): WorldNames {
  const pods = objects.filter(isPod);
  const services = objects
    .filter(isReferenced)
    .filter(({ apiVersion, kind }) => isSameKind(serviceKind, { group: groupOf(apiVersion), kind }));
  const homes = [...pods, ...workloads, ...services].map(({ namespace }) => namespace ?? "");
  const own = objects.filter(isNamespace).map(({ name }) => name);
  const nodes = objects.filter(({ kind }) => kind === "Node").map(({ name }) => name);
  return {
    namespaces: () => Promise.resolve([...own, ...homes]),
    nodes: () => Promise.resolve(nodes),
    in: (namespace) => {
      const isIn = (one: { readonly namespace: string | null }) => one.namespace === namespace;
      const theirs = pods.filter(isIn);
      const makers: readonly Owner[] = workloads.filter(isIn);
      return Promise.resolve({
        pods: theirs.map(({ name }) => name),
        services: services.filter(isIn).map(({ name }) => name),
        workloads: worded([...theirs.flatMap((pod) => ownersOf(pod).slice(-1)), ...makers]),
      });
    },
  };
}

/** Throws when the cluster cannot be asked, or the signal is aborted. */
export function namesInCluster(api: KubeApi, signal: AbortSignal): WorldNames {
  const names = async (kind: ObjectKind, namespace: string | null) =>
    await listNames(api, kind, namespace, signal);
  return {
    namespaces: async () => (await names(factKinds.Namespace, null)).map(({ name }) => name),
    nodes: async () => (await names(factKinds.Node, null)).map(({ name }) => name),
    in: async (namespace) => {
      const services = names(serviceKind, namespace).catch(() => []);
      const pods = await names(factKinds.Pod, namespace);
      return {
        pods: pods.map(({ name }) => name),
        services: (await services).map(({ name }) => name),
        workloads: worded(pods.flatMap(({ owners }) => owners.slice(-1))),
      };
    },
  };
}

/** Those of kinds that an end can be named by. */
function worded(owners: readonly Owner[]): NamesOfNamespace["workloads"] {
  return owners.flatMap(({ group, kind, name }) => {
    const found = kindWords.find(
      (one) => typeof one.kind !== "string" && one.kind.group === group && one.kind.kind === kind,
    );
    return found === undefined ? [] : [{ word: found.word, name }];
  });
}
