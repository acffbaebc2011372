// NG004: subjects and peers that select nobody. Information where a subject or all peers of a rule select nobody today; a
// warning where a selector asks for a label that nothing has, most often a slip of the pen. Says nothing of pods where
// none are among what was read, and so of namespaces and nodes.

import type { Labels } from "../../model/labels.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import { namespaceLabels, podLabels } from "../../model/selectable.ts";
import type { Requirement, Selector } from "../../model/selector.ts";
import { requirements, selects } from "../../model/selector.ts";
import type { Peer, PodGroup, SubjectGroup } from "../../policy/ir.ts";
import { selectorText } from "../../analysis/selectors.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Entry } from "../reach/order.ts";

/** What a selector can select. */
interface Things {
  readonly noun: string;
  readonly labels: readonly Labels[];
}

interface Scenery {
  readonly namespaces: Things;
  readonly pods: Things;
  readonly nodes: Things;
  readonly selectsPods: (group: SubjectGroup) => boolean;
}

/** A part that nothing fits. */
interface Unfit {
  readonly severity: "warning" | "info";
  readonly message: string;
  readonly fix: string;
}

export function* selectsNothing(context: Context): Generator<Draft> {
  const scenery = sceneryOf(context);
  for (const policy of context.policies)
    for (const unfit of ofSubject(policy.subject, scenery))
      yield { ...unfit, target: ofPolicy(policy), field: { kind: "subject" } };
  for (const entry of context.entries()) {
    for (const unfit of ofSubject(entry.rule.subject ?? [], scenery))
      yield { ...unfit, target: ofRule(entry), field: partOf(entry, "subject") };
    for (const unfit of ofPeers(entry, scenery, context))
      yield { ...unfit, target: ofRule(entry), field: partOf(entry, "peers") };
  }
}

const sceneries = new WeakMap<Context, Scenery>();

function sceneryOf(context: Context): Scenery {
  const known = sceneries.get(context);
  if (known !== undefined) return known;
  const { namespaces, pods, nodes } = context.facts;
  const onNetwork = [...pods.values()].filter(isOnPodNetwork);
  const identities = new Map(
    onNetwork.map((pod) => [JSON.stringify([pod.namespace, pod.serviceAccount, [...pod.labels]]), pod]),
  );
  const answers = new Map<string, boolean>();
  const find = ({ namespaces: scope, pods: selector }: PodGroup): boolean =>
    [...identities.values()].some((pod) => {
      const namespace = namespaces.get(pod.namespace);
      return (
        namespace !== undefined &&
        selects(scope, namespaceLabels(namespace)) &&
        selects(selector, podLabels(pod))
      );
    });
  const selectsPods = (group: SubjectGroup): boolean => {
    if (group.kind === "podsOfNode") return onNetwork.some(({ node }) => node === group.node);
    const key = `${group.namespaces.text} ${group.pods.text}`;
    const answer = answers.get(key) ?? find(group);
    answers.set(key, answer);
    return answer;
  };
  const scenery: Scenery = {
    namespaces: { noun: "namespace", labels: [...namespaces.values()].map(namespaceLabels) },
    pods: { noun: "pod", labels: [...identities.values()].map(podLabels) },
    nodes: { noun: "node", labels: Array.from(nodes, ({ labels }) => labels) },
    selectsPods,
  };
  sceneries.set(context, scenery);
  return scenery;
}

function ofSubject(subject: readonly SubjectGroup[], scenery: Scenery): readonly Unfit[] {
  const groups = subject.filter((group) => group.kind === "pods");
  const absent = groups.flatMap((group) => absentIn(group, scenery));
  if (absent.length > 0) return absent;
  if (groups.length === 0 || scenery.pods.labels.length === 0 || subject.some(scenery.selectsPods)) return [];
  const text = groups.map(groupText).join(" or ");
  return [
    {
      severity: "info",
      message: `the subject selects no pod (${text})`,
      fix: "none is needed if its pods are yet to come",
    },
  ];
}

function ofPeers({ rule }: Entry, scenery: Scenery, { hasPods }: Context): readonly Unfit[] {
  const absent = rule.peers.flatMap((peer) => {
    if (peer.kind === "pods") return absentIn(peer, scenery);
    if (peer.kind === "sameNamespaces") return absentOf(peer.pods, scenery.pods);
    return peer.kind === "nodes" ? absentOf(peer.nodes, scenery.nodes) : [];
  });
  if (absent.length > 0) return absent;
  if (!hasPods || rule.peers.length === 0 || !rule.peers.every((peer) => isNobody(peer, scenery))) return [];
  const text = rule.peers.map(peerText).join(" or ");
  return [
    {
      severity: "info",
      message: `the peers select nobody (${text})`,
      fix: "none is needed if they are yet to come",
    },
  ];
}

function isNobody(peer: Peer, scenery: Scenery): boolean {
  switch (peer.kind) {
    case "pods":
      return !scenery.selectsPods(peer);
    case "nodes":
      return isNone(peer.nodes, scenery.nodes);
    case "sameNamespaces":
      return isNone(peer.pods, scenery.pods);
    case "network":
    case "everything":
      return false;
  }
}

/** Of things that were not given nothing is known. */
function isNone(selector: Selector, { labels }: Things): boolean {
  return labels.length > 0 && !labels.some((one) => selects(selector, one));
}

function absentIn({ namespaces, pods }: PodGroup, scenery: Scenery): readonly Unfit[] {
  return [...absentOf(namespaces, scenery.namespaces), ...absentOf(pods, scenery.pods)];
}

/** The requirements that nothing meets, because nothing has their key, or none of their values. */
function absentOf(selector: Selector, { noun, labels }: Things): readonly Unfit[] {
  if (labels.length === 0 || selector.kind !== "requirements") return [];
  return selector.requirements.flatMap((requirement) => {
    if (requirement.operator !== "In" && requirement.operator !== "Exists") return [];
    const values = new Set(labels.flatMap((one) => one.get(requirement.key) ?? []));
    const asked = requirement.operator === "In" ? requirement.values : [];
    if (asked.length === 0 ? values.size > 0 : asked.some((value) => values.has(value))) return [];
    const text = selectorText(requirements([requirement]));
    const meant = likely(requirement, values, labels);
    const fix = meant === null ? "write a label that exists" : `did you mean ${meant}?`;
    return [{ severity: "warning", message: `no ${noun} has ${text}`, fix }];
  });
}

/** KEY=VALUE, or a key, that something has. */
function likely(
  requirement: Requirement,
  values: ReadonlySet<string>,
  labels: readonly Labels[],
): string | null {
  const [asked = ""] = "values" in requirement ? requirement.values : [];
  if (values.size > 0) {
    const value = nearest(asked, values);
    return value === null ? null : labelText(requirement.key, value);
  }
  const keys = new Set(labels.flatMap((one) => [...one.keys()].filter((key) => !key.startsWith("#"))));
  const key = nearest(requirement.key, keys);
  if (key === null) return null;
  const isThere = labels.some((one) => one.get(key) === asked);
  return "values" in requirement && isThere ? labelText(key, asked) : key;
}

function labelText(key: string, value: string): string {
  return selectorText(requirements([{ operator: "In", key, values: [value] }]));
}

function groupText({ namespaces, pods }: PodGroup): string {
  return `namespaces ${selectorText(namespaces)}, pods ${selectorText(pods)}`;
}

function peerText(peer: Peer): string {
  if (peer.kind === "pods") return groupText(peer);
  if (peer.kind === "nodes") return `nodes ${selectorText(peer.nodes)}`;
  return peer.kind === "sameNamespaces" ? `pods ${selectorText(peer.pods)}` : peer.kind;
}
