// NG026: pods and workloads that no policy selects, neither for what reaches them nor for what they reach. Counted by namespace where
// policies select some of its pods, otherwise once for all namespaces without any. Namespaces that Kubernetes keeps for itself
// (`kube-`) are left out, and so is what a policy may select that was not read, or may select at some address.

import { excerptOf } from "../../lib/text/few.ts";
import { factKinds, objectKey } from "../../model/object.ts";
import { podText } from "../../model/workload.ts";
import { directions, policyKey } from "../../policy/ir.ts";
import { isOwnPolicy } from "../../policy/outside.ts";
import { couldConcern } from "../../unknowns/foreign.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import type { Party } from "../parties.ts";
import { nounsOf, partiesIn } from "../parties.ts";
import { counted } from "../words.ts";

const shown = 3;
/** https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/: the prefix is reserved. */
const reserved = "kube-";

export function* uncoveredPods(context: Context): Generator<Draft> {
  if (context.notAsked.length > 0) return;
  const parties = partiesIn(context).filter(({ pod }) => !pod.namespace.startsWith(reserved));
  const without: [string, readonly Party[]][] = [];
  // Pods of the manifests come before workloads: the order is that of the names, whichever of the two there are.
  const byName = [...Map.groupBy(parties, ({ pod }) => pod.namespace)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [namespace, all] of byName) {
    const left = all.filter((party) => !isCovered(party, context));
    if (left.length === 0) continue;
    if (left.length === all.length) without.push([namespace, left]);
    else yield ofNamespace(namespace, left, all);
  }
  if (without.length > 0) yield ofCluster(without, parties);
}

function isCovered({ pod, ends }: Party, { reach, foreign, open, facts }: Context): boolean {
  if (facts.namespaces.get(pod.namespace)?.isUnread === true && open.isAnywhere) return true;
  const isForeign = foreign.some((policy) =>
    directions.some((direction) => couldConcern(policy, direction, { pod, isNode: false })),
  );
  return (
    isForeign ||
    ends.some((end) =>
      directions.some((direction) =>
        reach
          .policiesOf(direction, end)
          .values()
          .some(({ key }) => !isOwnPolicy(key)),
      ),
    )
  );
}

function ofNamespace(name: string, left: readonly Party[], all: readonly Party[]): Draft {
  const [are, open] = wordsFor(left.length);
  return {
    ...{ severity: "info", field: "", about: "pods" },
    target: {
      key: objectKey(factKinds.Namespace, null, name),
      at: null,
      ref: { group: "", kind: "Namespace", namespace: null, name },
    },
    message:
      `${left.length} of ${counted(all.length, ...nounsOf(all))} of the namespace ${are} selected by no policy, ${open}: ` +
      namesOf(left.map(nameOf)),
    fix: "select them, or all pods of the namespace by an empty podSelector",
  };
}

function ofCluster(without: readonly (readonly [string, readonly Party[]])[], all: readonly Party[]): Draft {
  const ref = { group: "", kind: "Cluster", namespace: null, name: "pods" };
  const left = without.reduce((sum, [, parties]) => sum + parties.length, 0);
  const [are, open] = wordsFor(left);
  return {
    ...{ severity: "info", field: "", about: "namespaces", place: null },
    target: { key: policyKey(ref), at: null, ref },
    message:
      `${left} of ${counted(all.length, ...nounsOf(all))} ${are} in ${counted(without.length, "namespace")} without any policy, ${open}: ` +
      namesOf(without.map(([namespace]) => namespace)),
    fix: "give each of the namespaces a policy that denies by default, or the cluster a baseline",
  };
}

function wordsFor(count: number): readonly [string, string] {
  const [are, them] = count === 1 ? ["is", "it"] : ["are", "them"];
  return [are, `so everything may reach ${them} and be reached by ${them}`];
}

/** In its namespace. */
function nameOf({ pod, workload }: Party): string {
  return workload === null ? pod.name : podText(pod).slice(pod.namespace.length + 1);
}

function namesOf(names: readonly string[]): string {
  return excerptOf(names.length, names.slice(0, shown));
}
