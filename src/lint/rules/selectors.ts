// NG004: subjects and peers that select nothing. Information where a subject or all peers of a rule select nothing today; a
// warning where a selector asks for a label that nothing has, most often a slip of the pen, and where it selects pods on the host
// network alone, to which no policy applies. Says nothing of pods where none are among what was read, and so of namespaces
// and nodes.

import type { Labels } from "../../model/labels.ts";
import type { PodFact } from "../../model/facts.ts";
import { podText } from "../../model/workload.ts";
import type { Requirement, Selector } from "../../model/selector.ts";
import { requirements, selects } from "../../model/selector.ts";
import type { PodGroup, SubjectGroup } from "../../policy/ir.ts";
import { byAnyAddress } from "../../policy/peers.ts";
import { selectorText } from "../../analysis/selectors.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import { peersIn } from "../written.ts";
import { dashMistakes } from "./dash.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import type { ClusterObjects, LabelledObjects } from "../cluster-objects.ts";
import { clusterObjectsOf } from "../cluster-objects.ts";

/** A part that nothing fits. */
interface Unfit {
  readonly severity: "warning" | "info";
  readonly message: string;
  readonly fix: string;
}

export function* selectsNothing(context: Context): Generator<Draft> {
  const scenery = clusterObjectsOf(context);
  // What is a mistake of its own is reported once.
  const mistaken = new Set(dashMistakes(context).map(({ target }) => target.at?.rule));
  for (const policy of context.policies)
    for (const unfit of ofSubject(policy.subject, scenery))
      yield { ...unfit, target: ofPolicy(policy), field: { kind: "subject" } };
  for (const entry of context.entries()) {
    for (const unfit of ofSubject(entry.rule.subject ?? [], scenery))
      yield { ...unfit, target: ofRule(entry), field: partOf(entry, "subject") };
    for (const unfit of mistaken.has(entry.rule) ? [] : ofPeers(entry, scenery, context))
      yield { ...unfit, target: ofRule(entry), field: partOf(entry, "peers") };
  }
}

type WholePeer = ReturnType<typeof byAnyAddress>;

/** As many pods are named. */
const shown = 3;

function ofSubject(subject: readonly SubjectGroup[], scenery: ClusterObjects): readonly Unfit[] {
  const groups = subject.filter((group) => group.kind === "pods");
  if (groups.some(scenery.isOpen)) return [];
  const absent = groups.flatMap((group) => absentIn(group, scenery));
  if (absent.length > 0) return absent;
  if (groups.length === 0 || scenery.pods.labels.length === 0 || subject.some(scenery.selectsPods)) return [];
  const text = groups.map(groupText).join(" or ");
  return [
    ofOthers("the subject selects", groups.flatMap(scenery.others)) ?? {
      severity: "info",
      message: `the subject selects no pod (${text})`,
      fix: "none is needed if its pods are added later",
    },
  ];
}

function ofPeers(entry: OrderedRule, scenery: ClusterObjects, context: Context): readonly Unfit[] {
  const { rule } = entry;
  const peers = rule.peers.map(byAnyAddress);
  const isOpen = peers.some((peer) => peer.kind === "pods" && scenery.isOpen(peer));
  const absent = peers.flatMap((peer) => {
    if (peer.kind === "pods" && scenery.isOpen(peer)) return absentOf(peer.pods, scenery.pods);
    if (peer.kind === "pods") return absentIn(peer, scenery);
    if (peer.kind === "sameNamespaces") return absentOf(peer.pods, scenery.pods);
    return peer.kind === "nodes" ? absentOf(peer.nodes, scenery.nodes) : [];
  });
  const isList = Array.isArray(peersIn(context, entry));
  const isSomeone = peers.some((peer) => !isNobody(peer, scenery));
  // One selector may mean other things than pods, such as named networks: then that no pod has its labels is no mistake.
  if (absent.length > 0 && (isList || !isSomeone)) return absent;
  if (isOpen || !context.hasPods || peers.length === 0 || isSomeone) return [];
  const text = peers.map(peerText).join(" or ");
  const groups = peers.filter((peer) => peer.kind === "pods");
  return [
    ofOthers("the peers select", groups.flatMap(scenery.others)) ?? {
      severity: "info",
      message: `the peers select nothing (${text})`,
      fix: "none is needed if they are added later",
    },
  ];
}

/** Of a selector that selects pods, and none that policies apply to; null: it selects none at all. */
function ofOthers(who: string, pods: readonly PodFact[]): Unfit | null {
  const hosts = pods.filter(({ hostNetwork }) => hostNetwork);
  const shownPods = hosts.length > 0 ? hosts : pods;
  if (shownPods.length === 0) return null;
  const names = shownPods.slice(0, shown).map(podText);
  const text = shownPods.length > shown ? `${names.join(", ")} and others` : names.join(", ");
  if (hosts.length === 0)
    return {
      severity: "info",
      message: `${who} only pods that do not run (${text})`,
      fix: "none is needed if they are to run",
    };
  return {
    severity: "warning",
    message: `${who} only pods on the host network (${text}): no policy applies to these, and peers match them as nodes or addresses only`,
    fix: "filter them on their nodes; a peer can name the nodes, or their addresses",
  };
}

function isNobody(peer: WholePeer, scenery: ClusterObjects): boolean {
  switch (peer.kind) {
    case "pods":
      return !scenery.selectsPods(peer);
    case "nodes":
      return isNone(peer.nodes, scenery.nodes);
    case "sameNamespaces":
      return isNone(peer.pods, scenery.reachable);
    case "hostNames":
    case "others":
    case "network":
    case "everything":
      return false;
  }
}

/** Of things that were not given nothing is known. */
function isNone(selector: Selector, { labels }: LabelledObjects): boolean {
  return labels.length > 0 && !labels.some((one) => selects(selector, one));
}

function absentIn({ namespaces, pods }: PodGroup, scenery: ClusterObjects): readonly Unfit[] {
  return [...absentOf(namespaces, scenery.namespaces), ...absentOf(pods, scenery.pods)];
}

/** The requirements that nothing meets, because nothing has their key, or none of their values. */
function absentOf(selector: Selector, { noun, labels }: LabelledObjects): readonly Unfit[] {
  if (labels.length === 0 || selector.kind !== "requirements") return [];
  return selector.requirements.flatMap((one) => {
    // Of a text only the key is checked: whoever asks for a part of a value counts on values to come.
    const requirement: Requirement = "text" in one ? { operator: "Exists", key: one.key } : one;
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

function peerText(peer: WholePeer): string {
  if (peer.kind === "pods") return groupText(peer);
  if (peer.kind === "nodes") return `nodes ${selectorText(peer.nodes)}`;
  if (peer.kind === "hostNames") return selectorText(peer.names);
  return peer.kind === "sameNamespaces" ? `pods ${selectorText(peer.pods)}` : peer.kind;
}
