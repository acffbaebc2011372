// API objects on their way in, and the seam every source of them plugs into.

import type { NamespaceFact, NodeFact, PodFact } from "./facts.ts";
import type { Problem } from "./problem.ts";

/** "<kind>/<name>" or "<kind>/<namespace>/<name>". */
export type ObjectKey = string & { readonly __brand: "ObjectKey" };

export function objectKey(kind: string, namespace: string | null, name: string): ObjectKey {
  return (namespace === null ? `${kind}/${name}` : `${kind}/${namespace}/${name}`) as ObjectKey;
}

/** A policy object as it arrived: its metadata is checked, its spec is not. A dialect reads the spec. */
export interface PolicyObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string | null;
  readonly generation: number | null;
  readonly annotations: ReadonlyMap<string, string>;
  readonly spec: unknown;
}

export type WorldObject = PodFact | NamespaceFact | NodeFact | PolicyObject;

export function isPod(object: WorldObject): object is PodFact {
  return object.kind === "Pod";
}

export function isNamespace(object: WorldObject): object is NamespaceFact {
  return object.kind === "Namespace";
}

export function isNode(object: WorldObject): object is NodeFact {
  return object.kind === "Node";
}

/** Which kind of policy object a source is to read, beside Pods, Namespaces and Nodes. */
export interface PolicyKind {
  /** Group and version, as in a manifest. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Lower-case plural, as in the API's paths. */
  readonly resource: string;
  readonly namespaced: boolean;
}

/** A Problem with the place it was found in. */
export interface SourceProblem {
  /** File and line, or API path; for people. */
  readonly place: string;
  /** `Kind name` or `Kind namespace/name`; null when no object could be made out. */
  readonly object: string | null;
  readonly problem: Problem;
}

export interface SourceListener {
  /** Something about the object may differ: read it again. Must only enqueue. */
  changed(key: ObjectKey): void;
  /** Every object that existed at the start has been absorbed. Called once. */
  synced(): void;
  /** An object, or a whole file, was refused at the door. */
  problem(problem: SourceProblem): void;
}

/** Where objects come from. Readers read the present; listeners get keys only. */
export interface Source {
  start(listener: SourceListener): void;
  /** The object as it is now; null when it does not exist. */
  read(key: ObjectKey): WorldObject | null;
  /**
   * Whether an object that `read` does not give may exist all the same: it was refused at the door, or stands in
   * something that cannot be read. What such an object had done before is not undone.
   */
  mayExist(key: ObjectKey): boolean;
  stop(): Promise<void>;
}
