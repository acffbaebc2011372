// API objects as sources deliver them, their keys, and the interface that every source implements. An object belongs to
// a kind of an API group: kinds of one name in several groups are different kinds. Only this file builds and splits
// keys.

import { invariant } from "../lib/invariant.ts";
import type { HostNameFact, NamespaceFact, NodeFact, PodFact } from "./facts.ts";
import type { Labels } from "./labels.ts";
import type { Problem } from "./problem.ts";

/** What identifies a kind; the core group is the empty text. The version is not part of it. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A version of an API group. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** An API group and version that may serve the objects of a kind. */
export interface Spelling extends GroupVersion {
  /** What an object read here is in the kind's own API (spelling.ts); absent: the same. Pure, and never throws. */
  readonly respelled?: (stored: unknown) => Respelled;
}

/** A stored object as the kind's own API shows it. */
export interface Respelled {
  /** As much as could be found out, where one of the problems is an error. */
  readonly value: unknown;
  /** An error: it is not known which object of the kind's own API it is. Their fields are those of the stored object. */
  readonly problems: readonly Problem[];
}

/** A kind as a source reads it and a writer addresses it. Its own group names it in keys and rows. */
export interface ObjectKind extends GroupKind, GroupVersion {
  /** Lower-case plural, as in the API's paths. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** Of a policy: the other kinds of its group, which are no misspelling of it and are not read. None unless given. */
  readonly besides?: readonly string[];
  /** Where its objects may be served, its own group and version among them, the preferred first; these alone unless given. */
  readonly servedAs?: readonly Spelling[];
  /** The only group of `servedAs` that a server is asked for; manifests may have any. Every one unless given. */
  readonly askedIn?: string;
  /** Of objects without a `spec`: the fields at the top that are read, and are its fields here. `spec` itself unless given. */
  readonly holds?: readonly string[];
}

/** "<Kind>.<group>", and "<Kind>" of the core group. The name of a kind holds no dot. */
export type KindText = string & { readonly __brand: "KindText" };

/** "<Kind>.<group>/<name>" or "<Kind>.<group>/<namespace>/<name>"; of the core group "<Kind>/…". */
export type ObjectKey = string & { readonly __brand: "ObjectKey" };

/** Where a field of an object was written, as `file:line`; null: the object is from no file. */
export type LocationOf = (key: ObjectKey, field: string) => string | null;

export interface ObjectName extends GroupKind {
  /** null: the object is in no namespace. */
  readonly namespace: string | null;
  readonly name: string;
}

export function kindText({ group, kind }: GroupKind): KindText {
  return (group === "" ? kind : `${kind}.${group}`) as KindText;
}

export function isSameKind(one: GroupKind, other: GroupKind): boolean {
  return one.kind === other.kind && one.group === other.group;
}

/** Group and version as a manifest has them: "v1", "policy.networking.k8s.io/v1alpha1". */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The kind in each group and version that may serve its objects, the preferred first. */
export function servedKinds(kind: ObjectKind): readonly ObjectKind[] {
  return (kind.servedAs ?? [kind]).map(({ group, version }) => ({ ...kind, group, version }));
}

/** Those that a server is asked for. */
export function askedKinds(kind: ObjectKind): readonly ObjectKind[] {
  const { askedIn } = kind;
  return servedKinds(kind).filter(({ group }) => askedIn === undefined || group === askedIn);
}

/** The kind, read from a server in one of its groups alone; null: in whichever is served. */
export function askedOnlyIn<K extends ObjectKind>(kind: K, group: string | null): K {
  return group === null || kind.servedAs === undefined ? kind : { ...kind, askedIn: group };
}

/** The group of an `apiVersion`. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
}

export function objectKey(kind: GroupKind, namespace: string | null, name: string): ObjectKey {
  const text = kindText(kind);
  return (namespace === null ? `${text}/${name}` : `${text}/${namespace}/${name}`) as ObjectKey;
}

export function keyOf(object: WorldObject): ObjectKey {
  const group = isApiObject(object) ? groupOf(object.apiVersion) : "";
  const namespace = "namespace" in object ? object.namespace : null;
  return objectKey({ group, kind: object.kind }, namespace, object.name);
}

export function kindTextOf(key: ObjectKey): KindText {
  return key.slice(0, key.indexOf("/")) as KindText;
}

export function splitKey(key: ObjectKey): ObjectName {
  const [kind = "", first, second] = key.split("/");
  invariant(first !== undefined, `a key without a name: ${key}`);
  const dot = kind.indexOf(".");
  const named = dot < 0 ? { group: "", kind } : { group: kind.slice(dot + 1), kind: kind.slice(0, dot) };
  return {
    ...named,
    ...(second === undefined ? { namespace: null, name: first } : { namespace: first, name: second }),
  };
}

/** Formats keys for users. */
export type ShownKey = (key: ObjectKey) => string;

/** Shows a key without its group, unless two of the kinds have the same name. */
export function shownAmong(kinds: Iterable<GroupKind>): ShownKey {
  const groups = Map.groupBy(
    new Map(Array.from(kinds, (kind) => [kindText(kind), kind])).values(),
    ({ kind }) => kind,
  );
  return (key) => {
    const text = kindTextOf(key);
    const dot = text.indexOf(".");
    if (dot < 0 || (groups.get(text.slice(0, dot))?.length ?? 0) > 1) return key;
    return text.slice(0, dot) + key.slice(text.length);
  };
}

/** The kinds whose objects are facts. What DNS answered is no object of an API server, and none of them. */
export const factKinds = {
  Namespace: { group: "", version: "v1", kind: "Namespace", resource: "namespaces", namespaced: false },
  Node: { group: "", version: "v1", kind: "Node", resource: "nodes", namespaced: false },
  Pod: { group: "", version: "v1", kind: "Pod", resource: "pods", namespaced: true },
} as const satisfies Readonly<Record<Exclude<Fact["kind"], "HostName">, ObjectKind>>;

/** Of the keys of what DNS answered. */
export const hostNameKind: GroupKind = { group: "", kind: "HostName" };

/** Where an object was read. */
export interface ReadAs extends GroupVersion {
  /** What it is called there, where that is another name. */
  readonly name?: string;
}

/**
 * An object as the source delivered it, a policy or an object that policies may refer to: its metadata is checked, its
 * spec is not. A dialect reads the spec.
 */
export interface PolicyObject {
  readonly kind: string;
  /** Of its kind's own group, wherever it was read. */
  readonly apiVersion: string;
  /** Where it was read, when that is another group or version than its kind's own. */
  readonly readAs?: ReadAs;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string | null;
  readonly generation: number | null;
  readonly annotations: ReadonlyMap<string, string>;
  /** Of a kind that `holds` other fields, an object of those that are there. */
  readonly spec: unknown;
}

/** An object that policies may refer to: it can be selected by its labels. */
export interface ReferencedObject extends PolicyObject {
  readonly labels: Labels;
  /** What a load balancer has given it: the texts of `status.loadBalancer.ingress[].ip`. Absent: none. */
  readonly balancerIps?: readonly string[];
}

export type Fact = PodFact | NamespaceFact | NodeFact | HostNameFact;
export type WorldObject = Fact | PolicyObject | ReferencedObject;

/** The API version under which the object was read, and is addressed. */
export function readVersionOf({ apiVersion, readAs }: PolicyObject): string {
  return readAs === undefined ? apiVersion : apiVersionOf(readAs);
}

/** What the object is called where it was read. */
export function readNameOf({ name, readAs }: PolicyObject): string {
  return readAs?.name ?? name;
}

/** Whatever the name of its kind: only objects that are not facts have an API version. */
export function isApiObject(object: WorldObject): object is PolicyObject {
  return "apiVersion" in object;
}

export function isReferenced(object: WorldObject): object is ReferencedObject {
  return isApiObject(object) && "labels" in object;
}

export function isPod(object: WorldObject): object is PodFact {
  return !isApiObject(object) && object.kind === "Pod";
}

export function isNamespace(object: WorldObject): object is NamespaceFact {
  return !isApiObject(object) && object.kind === "Namespace";
}

export function isNode(object: WorldObject): object is NodeFact {
  return !isApiObject(object) && object.kind === "Node";
}

/** A Problem with the place it was found in. */
export interface SourceProblem {
  /** File and line, or API path; for people. */
  readonly place: string;
  /** `Kind name` or `Kind namespace/name`; null when no object could be identified. */
  readonly object: string | null;
  /** Of the object; absent: none could be identified. */
  readonly key?: ObjectKey;
  readonly problem: Problem;
}

export interface SourceListener {
  /** The object may have changed: read it again. Must only enqueue. */
  changed(key: ObjectKey): void;
  /** `read` knows every object that existed at the start. Called once. */
  synced(): void;
  /** A parser refused an object, or a whole file. */
  problem(problem: SourceProblem): void;
}

/** A source of objects. `read` returns the present; listeners get keys only. */
export interface Source {
  start(listener: SourceListener): void;
  /** The object as it is now; null when it does not exist. */
  read(key: ObjectKey): WorldObject | null;
  /**
   * Whether an object may exist although `read` returns null: a parser refused it, or it is in a file that cannot be
   * read. The effects of its earlier version must stay.
   */
  mayExist(key: ObjectKey): boolean;
  stop(): Promise<void>;
}
