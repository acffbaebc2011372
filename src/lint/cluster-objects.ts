// What selectors can select among what was read: the labels of namespaces, pods and nodes, and which pods a group holds. Pods
// that no selector can tell apart count once. Made once for each context. facts.ts decides which pods policies apply to.

import type { PodFact } from "../model/facts.ts";
import { selectsNamespace } from "../unknowns/asked-labels.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { Labels } from "../model/labels.ts";
import { namespaceLabels, podLabels } from "../model/selectable.ts";
import { selects } from "../model/selector.ts";
import type { PodGroup, SubjectGroup } from "../policy/ir.ts";
import type { Context } from "./context.ts";

/** What a selector can select. */
export interface LabelledObjects {
  readonly noun: string;
  readonly labels: readonly Labels[];
}

export interface ClusterObjects {
  readonly namespaces: LabelledObjects;
  /** Of every pod: policies apply to some of them only. */
  readonly pods: LabelledObjects;
  /** Of the pods that policies apply to. */
  readonly reachable: LabelledObjects;
  readonly nodes: LabelledObjects;
  /** Whether it selects pods that policies apply to. */
  readonly selectsPods: (group: SubjectGroup) => boolean;
  /** Whether it may select more than is known, because a namespace was not read. */
  readonly isOpen: (group: SubjectGroup) => boolean;
  /** The pods that it selects and that policies do not apply to, one of those alike. */
  readonly others: (group: SubjectGroup) => readonly PodFact[];
}

const sceneries = new WeakMap<Context, ClusterObjects>();

export function clusterObjectsOf(context: Context): ClusterObjects {
  const known = sceneries.get(context);
  if (known !== undefined) return known;
  const made = sceneryIn(context);
  sceneries.set(context, made);
  return made;
}

function sceneryIn({ facts: { namespaces, nodes }, pods: all }: Context): ClusterObjects {
  const onNetwork = all.filter(isOnPodNetwork);
  const reachable = oneOfEach(onNetwork);
  const others = oneOfEach(all.filter((pod) => !isOnPodNetwork(pod)));
  const isIn = (group: PodGroup, pod: PodFact): boolean => {
    const namespace = namespaces.get(pod.namespace);
    if (namespace === undefined) return false;
    return selects(group.namespaces, namespaceLabels(namespace)) && selects(group.pods, podLabels(pod));
  };
  const answers = new Map<string, boolean>();
  const find = (group: PodGroup): boolean => {
    const key = `${group.namespaces.text} ${group.pods.text}`;
    const answer = answers.get(key) ?? reachable.some((pod) => isIn(group, pod));
    answers.set(key, answer);
    return answer;
  };
  const unread = [...namespaces.values()].filter(({ isUnread }) => isUnread === true);
  return {
    isOpen: (group) =>
      group.kind === "pods" && unread.some((fact) => selectsNamespace(group.namespaces, fact) === null),
    namespaces: { noun: "namespace", labels: [...namespaces.values()].map(namespaceLabels) },
    pods: { noun: "pod", labels: [...reachable, ...others].map(podLabels) },
    reachable: { noun: "pod", labels: reachable.map(podLabels) },
    nodes: { noun: "node", labels: Array.from(nodes, ({ labels }) => labels) },
    selectsPods: (group) =>
      group.kind === "podsOfNode" ? onNetwork.some(({ node }) => node === group.node) : find(group),
    others: (group) => (group.kind === "podsOfNode" ? [] : others.filter((pod) => isIn(group, pod))),
  };
}

function oneOfEach(pods: readonly PodFact[]): readonly PodFact[] {
  const identity = ({ namespace, serviceAccount, hostNetwork, labels }: PodFact): string =>
    JSON.stringify([namespace, serviceAccount, hostNetwork, [...labels]]);
  return [...new Map(pods.map((pod) => [identity(pod), pod])).values()];
}
