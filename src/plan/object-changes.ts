// Which objects differ between two worlds, and in which fields: the part of a plan that says what was edited. Lists are held
// against each other from both ends, so that an item put in at the front is one item and not a change of all. What only the
// cluster knows, uid and generation, is no difference, nor is what kubectl keeps in an annotation for itself.

import { isDeepStrictEqual } from "node:util";
import type { Ref } from "../analysis/ref.ts";
import type { WorldObject } from "../model/object.ts";
import { isApiObject, keyOf, splitKey } from "../model/object.ts";
import type { ChangedField, ObjectChanges } from "./report.ts";
import type { Both } from "../verdicts/worlds.ts";

export function objectChanges({ old, new: next }: Both<Iterable<WorldObject>>): ObjectChanges {
  const [before, after] = [byKey(old), byKey(next)];
  const only = (some: ReadonlyMap<string, Named>, others: ReadonlyMap<string, Named>) =>
    [...some].flatMap(([key, { ref }]) => (others.has(key) ? [] : [ref]));
  const changed = [...after].flatMap(([key, { ref, object }]) => {
    const was = before.get(key)?.object;
    if (was === undefined || was === object) return [];
    const fields = fieldsBetween("", fieldsOf(was), fieldsOf(object));
    return fields.length === 0 ? [] : [{ ...ref, fields }];
  });
  return { added: only(after, before), changed, removed: only(before, after) };
}

interface Named {
  readonly ref: Ref;
  readonly object: WorldObject;
}

function byKey(objects: Iterable<WorldObject>): ReadonlyMap<string, Named> {
  const named = Array.from(objects, (object) => [keyOf(object), object] as const);
  named.sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(named.map(([key, object]) => [key, { ref: splitKey(key), object }]));
}

/** Of facts, where a manifest says what the fact holds. */
const paths: Readonly<Record<string, string>> = {
  annotations: "metadata.annotations",
  labels: "metadata.labels",
  node: "spec.nodeName",
  serviceAccount: "spec.serviceAccountName",
  hostNetwork: "spec.hostNetwork",
  ports: "spec.containers[].ports",
  podFamilies: "spec.podCIDRs",
};
const podPaths: Readonly<Record<string, string>> = { ips: "status.podIPs", completed: "status.phase" };
const nodePaths: Readonly<Record<string, string>> = { ips: "status.addresses" };
/** The whole object once more: `kubectl apply` writes it, and no manifest has it. */
const ofKubectl = "kubectl.kubernetes.io/last-applied-configuration";
const ofTheCluster: ReadonlySet<string> = new Set(["uid", "generation", "kind", "name", "namespace"]);

function fieldsOf(object: WorldObject): Readonly<Record<string, unknown>> {
  const own = object.kind === "Pod" ? podPaths : nodePaths;
  const pathOf = (field: string) => paths[field] ?? (isApiObject(object) ? field : (own[field] ?? field));
  return Object.fromEntries(
    Object.entries(object)
      .filter(([field]) => !ofTheCluster.has(field))
      .map(([field, value]) => [pathOf(field), field === "annotations" ? told(plain(value)) : plain(value)]),
  );
}

function plain(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, one]) => [String(key), plain(one)]));
  return value;
}

function told(annotations: unknown): unknown {
  if (!isRecord(annotations)) return annotations;
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== ofKubectl));
}

function fieldsBetween(field: string, old: unknown, next: unknown): readonly ChangedField[] {
  if (isDeepStrictEqual(old, next)) return [];
  if (Array.isArray(old) && Array.isArray(next)) return itemsBetween(field, old, next);
  if (isRecord(old) && isRecord(next)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(next)])];
    return names.flatMap((name) => fieldsBetween(joined(field, name), old[name], next[name]));
  }
  return [{ field, ...(old === undefined ? {} : { old }), ...(next === undefined ? {} : { new: next }) }];
}

function itemsBetween(
  field: string,
  old: readonly unknown[],
  next: readonly unknown[],
): readonly ChangedField[] {
  const shortest = Math.min(old.length, next.length);
  let head = 0;
  while (head < shortest && isDeepStrictEqual(old[head], next[head])) head++;
  let tail = 0;
  while (tail < shortest - head && isDeepStrictEqual(old.at(-1 - tail), next.at(-1 - tail))) tail++;
  const [was, is] = [old.slice(head, old.length - tail), next.slice(head, next.length - tail)];
  const at = (index: number) => `${field}[${head + index}]`;
  if (was.length === is.length)
    return was.flatMap((value, index) => fieldsBetween(at(index), value, is[index]));
  return [
    ...was.map((value, index) => ({ field: at(index), old: value })),
    ...is.map((value, index) => ({ field: at(index), new: value })),
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name that is no identifier is in brackets, as kubectl prints it. */
function joined(field: string, name: string): string {
  if (field === "") return name;
  return /^[A-Za-z_]\w*$/.test(name) ? `${field}.${name}` : `${field}[${JSON.stringify(name)}]`;
}
