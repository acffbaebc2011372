// A policy of a kind that Northgate does not read (foreign-kinds.ts): which ends it could be about. Judges nothing: whatever it
// says may hold for a pod that it could select. Lenient: a selector that is no plain label selector may select any pod.

import { readSelector } from "../kubernetes/selector.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { KindText, ObjectKind, ObjectName } from "../model/object.ts";
import { groupOf, kindText } from "../model/object.ts";
import { podLabels } from "../model/selectable.ts";
import { Field, Problems } from "../model/reader.ts";
import type { Selector } from "../model/selector.ts";
import { everything, selects } from "../model/selector.ts";
import type { Direction } from "../policy/ir.ts";
import type { ForeignKind } from "./foreign-kinds.ts";
import { foreignKindOf } from "./foreign-kinds.ts";

/** Plain data: it can be given to a thread. */
export interface ForeignPolicy extends ObjectName {
  /** `file:line`; null: it is from no file. */
  readonly place: string | null;
  readonly directions: readonly Direction[];
  readonly effect: ForeignKind["effect"];
  /** null: pods of every namespace. */
  readonly reach: string | null;
  /** Of pods; any of them selects. */
  readonly selectors: readonly Selector[];
  readonly isAboutNodes: boolean;
  /** All that it says, as it was found. */
  readonly spec: unknown;
}

/** The parts of a world that were not read. */
export interface NotRead {
  readonly policies: readonly ForeignPolicy[];
  /** Kinds of which it is unknown whether objects exist, one sentence each. */
  readonly sentences: readonly string[];
}

export const allRead: NotRead = { policies: [], sentences: [] };

export function isAllRead({ policies, sentences }: NotRead): boolean {
  return policies.length === 0 && sentences.length === 0;
}

/** An object as it was found, unread. */
export interface FoundObject {
  readonly value: unknown;
  readonly place: string | null;
}

/** null: it is of no such kind. `read`: the kinds of policy that are read. */
export function readForeign(
  { value, place }: FoundObject,
  read: readonly ObjectKind[],
): ForeignPolicy | null {
  const root = new Field(new Problems(), "", value);
  const [apiVersion, kind] = [textAt(root, "apiVersion"), textAt(root, "kind")];
  const group = groupOf(apiVersion);
  const foreign = foreignKindOf({ group, kind }, apiVersion, read);
  if (foreign === null) return null;
  const metadata = root.at("metadata");
  const { directions, effect, namespaced, root: everywhere } = foreign;
  const namespace = namespaced ? textAt(metadata, "namespace") || "default" : null;
  const specs = [root.at("spec"), ...root.at("specs").items()].filter(({ present }) => present);
  const isAboutNodes = foreign.nodes !== undefined && specs.some((spec) => spec.has(foreign.nodes ?? ""));
  const selectors = specs.flatMap((spec) => selectorsIn(spec, foreign));
  return {
    ...{ group, kind, namespace, name: textAt(metadata, "name"), place, directions, effect },
    reach: namespace === everywhere ? null : namespace,
    selectors: specs.length === 0 ? [everything] : selectors,
    isAboutNodes,
    spec: root.has("specs")
      ? { spec: root.at("spec").raw, specs: root.at("specs").raw }
      : root.at("spec").raw,
  };
}

/** Whether something that the policy says may hold for this side of a connection. `isNode`: the end is a node's address. */
export function couldConcern(
  policy: ForeignPolicy,
  direction: Direction,
  { pod, isNode }: { readonly pod: PodFact | null; readonly isNode: boolean },
): boolean {
  if (!policy.directions.includes(direction)) return false;
  if (pod === null) return isNode && policy.isAboutNodes;
  if (!isOnPodNetwork(pod) || (policy.reach !== null && policy.reach !== pod.namespace)) return false;
  return policy.selectors.some((selector) => selects(selector, podLabels(pod)));
}

/** Of objects that were found and are not read. */
export function notReadOf(
  found: readonly FoundObject[],
  sentences: readonly string[],
  read: readonly ObjectKind[],
): NotRead {
  return { policies: found.flatMap((one) => readForeign(one, read) ?? []), sentences };
}

/** One line for each kind, and for each sentence. */
export function notReadLines({ policies, sentences }: NotRead): readonly string[] {
  const kinds = [...byForeignKind(policies)].map(([kind, { length }]) => {
    const objects = length === 1 ? "1 object" : `${length} objects`;
    return `${objects} of ${kind}, a kind of policy that Northgate does not read: verdicts that could depend on it are unknown`;
  });
  return [...kinds, ...sentences.map((one) => `${one}: the answer is as if there were none`)];
}

/** The policies by the text of their kind. */
export function byForeignKind(
  policies: readonly ForeignPolicy[],
): ReadonlyMap<KindText, readonly ForeignPolicy[]> {
  return Map.groupBy(policies, kindText);
}

function selectorsIn(spec: Field, { selectors, nodes, derivedKeys }: ForeignKind): readonly Selector[] {
  const given = selectors.filter((name) => spec.has(name));
  if (given.length === 0) return nodes !== undefined && spec.has(nodes) ? [] : [everything];
  return given.map((name) => {
    const selector = readSelector(spec.at(name));
    return selector === null || asksOther(selector, derivedKeys) ? everything : selector;
  });
}

/** Whether it asks for what is no label of the pod. */
function asksOther(selector: Selector, derivedKeys: RegExp | undefined): boolean {
  if (selector.kind !== "requirements" || derivedKeys === undefined) return false;
  return selector.requirements.some(({ key }) => derivedKeys.test(key));
}

function textAt(field: Field, name: string): string {
  const { raw } = field.at(name);
  return typeof raw === "string" ? raw : "";
}
