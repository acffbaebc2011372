// Parses metadata, and policy objects with it: names and labels must have the forms that Kubernetes requires, so that
// no quote or operator can reach a row through them. Of a spec only the depth is checked; its dialect reads it.

import type { Labels } from "../../model/labels.ts";
import type { GroupVersion, ObjectKind, PolicyObject, ReferencedObject } from "../../model/object.ts";
import { apiVersionOf } from "../../model/object.ts";
import { inOwnApi } from "../../model/objects/spelling.ts";
import type { Problem } from "../../model/problem.ts";
import { isDeeperThan } from "../../model/objects/json.ts";
import { Field, Problems } from "../../model/reader.ts";
import { isDnsLabel, isDnsSubdomain, isLabelKey, isLabelValue } from "../../model/syntax.ts";

export interface Parsed<T> {
  /** null: refused; at least one of the problems is an error. */
  readonly object: T | null;
  readonly problems: readonly Problem[];
}

/** Reads an unknown value as an object of one kind; any error refuses it. */
export function parsed<T>(value: unknown, read: (root: Field) => T | null): Parsed<T> {
  const problems = new Problems();
  const root = new Field(problems, "", value);
  const object = root.object() ? read(root) : null;
  return { object: problems.failed ? null : object, problems: problems.list() };
}

/** The form of names of almost all kinds. */
export function readName(field: Field): string | null {
  const name = field.string();
  if (name === null || isDnsSubdomain(name)) return name;
  return field.error(`${field.quoted} is not a valid name`, "InvalidName");
}

export function readNamespaceName(field: Field): string | null {
  const name = field.string();
  if (name === null || isDnsLabel(name)) return name;
  return field.error(`${field.quoted} is not a valid name of a namespace`, "InvalidName");
}

/** metadata.namespace of a namespaced object; kubectl's default when it is absent. */
export function readNamespaceOf(root: Field): string | null {
  const field = root.at("metadata").at("namespace");
  return field.present && field.raw !== "" ? readNamespaceName(field) : "default";
}

export function readLabels(root: Field): Labels | null {
  const labels = root.at("metadata").at("labels");
  for (const key of labels.names()) {
    const label = labels.at(key);
    if (!isLabelKey(key)) label.error("the key is not a valid label key");
    else if (typeof label.raw === "string" && !isLabelValue(label.raw))
      label.error(`${label.quoted} is not a valid label value`);
  }
  return readStrings(labels);
}

export function readAnnotations(root: Field): ReadonlyMap<string, string> | null {
  return readStrings(root.at("metadata").at("annotations"));
}

function readStrings(field: Field): ReadonlyMap<string, string> | null {
  if (!field.present) return new Map();
  if (!field.object()) return null;
  const entries = field.names().map((name) => [name, field.at(name).string()] as const);
  return new Map(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Of an object that is read under another API group: it is read as the kind's own API shows it. */
function parsedAs<T extends PolicyObject>(
  value: unknown,
  kind: ObjectKind,
  as: GroupVersion,
  read: (root: Field) => T | null,
): Parsed<T> {
  const own = inOwnApi(kind, as, value);
  const { object, problems } = parsed(own.value, read);
  const isKnown = own.problems.every(({ severity }) => severity !== "error");
  return {
    object: isKnown ? object && readThere(object, value, kind, as) : null,
    problems: [...own.problems, ...problems],
  };
}

/** The object with the place where it was read, when that is not its kind's own. */
function readThere<T extends PolicyObject>(object: T, value: unknown, kind: ObjectKind, as: GroupVersion): T {
  const { group, version } = as;
  if (apiVersionOf(as) === apiVersionOf(kind)) return object;
  const name = new Field(new Problems(), "", value).at("metadata").at("name").raw;
  const other = typeof name === "string" && name !== object.name ? { name } : {};
  return { ...object, readAs: { group, version, ...other } };
}

/** `as`: where it was read, one of those that may serve the kind. */
export function parsePolicyObject(
  value: unknown,
  kind: ObjectKind,
  as: GroupVersion = kind,
): Parsed<PolicyObject> {
  return parsedAs(value, kind, as, (root) => readObject(root, kind));
}

/** An object that policies may refer to. */
export function parseReferencedObject(
  value: unknown,
  kind: ObjectKind,
  as: GroupVersion = kind,
): Parsed<ReferencedObject> {
  return parsedAs(value, kind, as, (root) => {
    const object = readObject(root, kind);
    const labels = readLabels(root);
    const balancerIps = readBalancerIps(root.at("status"));
    return object && labels && { ...object, labels, ...(balancerIps.length > 0 ? { balancerIps } : {}) };
  });
}

/** Of the only status that says what policies act on: a Service's. */
function readBalancerIps(status: Field): readonly string[] {
  const given = status.at("loadBalancer").at("ingress").items();
  return given.map((one) => one.at("ip").raw).filter((text) => typeof text === "string");
}

/** No known API nests deeper than 20; code that compares or writes out a spec visits all its levels. */
const specLevels = 100;

function readObject(root: Field, kind: ObjectKind): PolicyObject | null {
  const metadata = root.at("metadata");
  const name = readName(metadata.at("name"));
  const namespace = kind.namespaced ? readNamespaceOf(root) : null;
  const annotations = readAnnotations(root);
  const uid = metadata.at("uid");
  const generation = metadata.at("generation");
  const spec = readSpec(root, kind);
  if (name === null || annotations === null) return null;
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    namespace,
    name,
    uid: uid.present ? uid.string() : null,
    generation: generation.present ? generation.integer(0, Number.MAX_SAFE_INTEGER) : null,
    annotations,
    spec,
  };
}

function readSpec(root: Field, { holds }: ObjectKind): unknown {
  const fields = (holds ?? ["spec"]).map((name) => [name, root.at(name)] as const);
  for (const [, field] of fields)
    if (isDeeperThan(specLevels, field.raw)) field.error(`is nested deeper than ${specLevels} levels`);
  if (holds === undefined) return root.at("spec").raw;
  return Object.fromEntries(
    fields.filter(([, { present }]) => present).map(([name, field]) => [name, field.raw]),
  );
}
