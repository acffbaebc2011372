// NG023: two selectors of a peer that are written as two items of the list, so that either is enough; or two items that are written
// as one, so that both must hold. Found only where the objects that were read show which was meant: what is written selects
// nobody, and what a dash more or less would select is there.

import { namespacesNamed } from "../../model/selectable.ts";
import { everything } from "../../model/selector.ts";
import type { Peer, PodGroup } from "../../policy/ir.ts";
import { selectorText } from "../../analysis/selectors.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import { clusterObjectsOf } from "../cluster-objects.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofRule, partOf } from "../draft.ts";
import { valueAt } from "../written.ts";

/** An item of the list as it is written, and what it means. */
interface Item {
  readonly at: number;
  /** The names of its fields, in alphabetical order. */
  readonly fields: string;
  readonly group: PodGroup;
}

type PeerItems = readonly (Item | null)[];

const ofNamespaces = "namespaceSelector";
const ofPods = "podSelector";
const ofBoth = `${ofNamespaces} ${ofPods}`;

export function* dashMistakes(context: Context): Generator<Draft> {
  const scenery = clusterObjectsOf(context);
  for (const entry of context.entries()) {
    const { namespace } = entry.policy.ref;
    if (namespace === null || entry.rule.share !== null) continue;
    const field = context.dialectOf(entry.policy.key).fieldOf(partOf(entry, "peers"));
    const items = itemsOf(entry, valueAt(context.record(entry.policy.key)?.object, field));
    for (const [at, item] of items.entries()) {
      const next = items[at + 1];
      if (item !== null && next !== undefined && next !== null)
        yield* apart(entry, field, [item, next], scenery);
      if (item?.fields === ofBoth) yield* together(entry, field, item, namespace, scenery);
    }
  }
}

/** null: an item that is no group of pods. None where an item and its meaning cannot be told to belong together. */
function itemsOf({ rule: { peers } }: OrderedRule, written: unknown): PeerItems {
  if (!Array.isArray(written) || written.length !== peers.length) return [];
  return peers.map((peer: Peer, at) => {
    const item: unknown = written[at];
    if (peer.kind !== "pods" || typeof item !== "object" || item === null) return null;
    return { at, fields: Object.keys(item).sort().join(" "), group: peer };
  });
}

/** Two items that were meant as one: the pods are in those namespaces, and none in the policy's own. */
function* apart(
  entry: OrderedRule,
  field: string,
  [one, other]: readonly [Item, Item],
  scenery: ClusterObjects,
): Generator<Draft> {
  const [spaces, pods] = one.fields === ofNamespaces ? [one, other] : [other, one];
  if (spaces.fields !== ofNamespaces || pods.fields !== ofPods) return;
  const meant: PodGroup = { kind: "pods", namespaces: spaces.group.namespaces, pods: pods.group.pods };
  if ([pods.group, meant].some(scenery.isOpen)) return;
  if (scenery.selectsPods(pods.group) || !scenery.selectsPods(meant)) return;
  const [space, pod] = [selectorText(spaces.group.namespaces), selectorText(pods.group.pods)];
  yield {
    ...{ severity: "warning", target: ofRule(entry), field: `${field}[${other.at}]` },
    message:
      `two list items mean either: every pod of namespaces ${space}, or pods ${pod} of the policy's own namespace, which has none; ` +
      `namespaces ${space} have some`,
    fix: `if pods ${pod} of namespaces ${space} are meant, write both selectors in one item, with one dash`,
    about: `apart ${one.at}`,
  };
}

/** One item that was meant as two: nobody has both, and there are pods for each. */
function* together(
  entry: OrderedRule,
  field: string,
  { at, group }: Item,
  namespace: string,
  scenery: ClusterObjects,
): Generator<Draft> {
  const own: PodGroup = { kind: "pods", namespaces: namespacesNamed([namespace]), pods: group.pods };
  const spaces: PodGroup = { kind: "pods", namespaces: group.namespaces, pods: everything };
  if ([group, own, spaces].some(scenery.isOpen)) return;
  if (scenery.selectsPods(group) || !scenery.selectsPods(own) || !scenery.selectsPods(spaces)) return;
  const [space, pod] = [selectorText(group.namespaces), selectorText(group.pods)];
  yield {
    ...{ severity: "warning", target: ofRule(entry), field: `${field}[${at}]` },
    message: `one list item means both: pods ${pod} in namespaces ${space}, which have none; the policy's own namespace has such pods`,
    fix: `if pods ${pod} of the policy's own namespace and every pod of namespaces ${space} are meant, write two items`,
    about: `together ${at}`,
  };
}
