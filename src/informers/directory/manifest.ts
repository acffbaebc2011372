// One file's text → definitions of objects and the problems of what is refused. A text that cannot be parsed gives no
// definitions at all; an object that is refused is still a definition, so that its last good version can stay in force.
// Objects of kinds that are not read are only counted.

import type { GroupKind, GroupVersion, ObjectKey, SourceProblem, WorldObject } from "../../model/object.ts";
import { apiVersionOf, groupOf, kindText, objectKey, servedKinds } from "../../model/object.ts";
import { printable, quote } from "../../model/quote.ts";
import { inOwnApi } from "../../model/objects/spelling.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { Problem } from "../../model/problem.ts";
import { canonicalText } from "./canonical.ts";
import type { ReadableKind } from "../objects/kinds.ts";
import { misnamed } from "../objects/kinds.ts";
import type { Segment } from "./lines.ts";
import { Lines, segmentsOf } from "./lines.ts";
import { placeProblem } from "../source-problem.ts";
import { parseText } from "./text.ts";

export interface Definition {
  readonly key: ObjectKey;
  /** `Kind namespace/name`, for people. */
  readonly title: string;
  /** null: the parser refused it. */
  readonly object: WorldObject | null;
  /** Canonical; equal for equal objects. */
  readonly text: string;
  /** file:line of a field; of the object itself for the empty path. */
  readonly placeOf: (field: string) => string;
}

export interface Manifest {
  /** null: the text as a whole could not be read. */
  readonly definitions: readonly Definition[] | null;
  /** Set when the text holds an object whose name cannot be read. */
  readonly unidentified: boolean;
  readonly problems: readonly SourceProblem[];
  /** The kinds of objects that are left alone, one text for each object. */
  readonly ignored: readonly string[];
  /** Objects of kinds that are not read, as they are in the text, of those that the caller keeps. */
  readonly kept: readonly KeptObject[];
  /** Documents that are no objects of the Kubernetes API, where these are left alone. */
  readonly others: number;
}

export interface ManifestReading {
  readonly keeps?: Keeps;
  /** Whether a document with nothing that an object has is left alone; otherwise it is an error. */
  readonly leavesOthers?: boolean;
}

export interface KeptObject {
  readonly value: unknown;
  /** file:line. */
  readonly place: string;
  /** file:line of one of its fields. */
  readonly placeOf: (field: string) => string;
}

/** Whether the caller wants objects of a kind that is not read, in this version. */
export type Keeps = (kind: GroupKind, apiVersion: string) => boolean;

/** One object as it is in the text. */
interface Item {
  readonly root: Field;
  readonly placeOf: (field: string) => string;
}

export function readManifest(
  file: string,
  text: string,
  kinds: readonly ReadableKind[],
  { keeps = () => false, leavesOthers = false }: ManifestReading = {},
): Manifest {
  const result = parseText(text);
  if ("message" in result) {
    const place = `${file}:${result.line}:${result.column}`;
    const problems = [placeProblem(place, result.message)];
    return { definitions: null, unidentified: true, problems, ignored: [], kept: [], others: 0 };
  }
  const documents = leavesOthers
    ? result.documents.filter(({ value }) => isObjectLike(value))
    : result.documents;
  const lines = new Lines(text, result.tree);
  const items = documents.flatMap(({ value, index }) => {
    const placeAt = (base: readonly Segment[]) => (field: string) =>
      `${printable(file)}:${lines.at(index, [...base, ...segmentsOf(field)])}`;
    return itemsOf(new Field(new Problems(), "", value), placeAt);
  });
  const read = items.map((item) => readItem(item, kinds, keeps));
  return {
    definitions: read.flatMap(({ definition }) => (definition === null ? [] : [definition])),
    unidentified: read.some(({ definition, ignored }) => definition === null && ignored === null),
    problems: read.flatMap(({ problems }) => problems),
    ignored: read.flatMap(({ ignored, kept }) =>
      ignored === null || kept !== null || leftAlone.has(ignored) ? [] : [ignored],
    ),
    kept: read.flatMap(({ kept }) => kept ?? []),
    others: result.documents.length - documents.length,
  };
}

const ofObjects: readonly string[] = ["apiVersion", "kind", "spec", "metadata"];

/** Whether it has anything that an object of the Kubernetes API has. */
function isObjectLike(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && ofObjects.some((field) => Object.hasOwn(value, field))
  );
}

/** A List, or an API server's list of one kind, whose items may omit the kind and version that the list has; lists among them too. */
function itemsOf(root: Field, placeAt: (base: readonly Segment[]) => Item["placeOf"]): readonly Item[] {
  const kind = root.at("kind").raw;
  const isList = typeof kind === "string" && kind.endsWith("List") && Array.isArray(root.at("items").raw);
  if (!isList) return [{ root, placeOf: placeAt([]) }];
  const implied = kind === "List" ? {} : { apiVersion: root.at("apiVersion").raw, kind: kind.slice(0, -4) };
  return root
    .at("items")
    .items()
    .flatMap((item, i) =>
      itemsOf(item.isObject ? item.with(Object.assign({}, implied, item.raw)) : item, (base) =>
        placeAt(["items", i, ...base]),
      ),
    );
}

interface ItemRead {
  readonly definition: Definition | null;
  readonly problems: readonly SourceProblem[];
  /** The kind of an object that is left alone; null: it is not. */
  readonly ignored: string | null;
  /** null: the caller has no use for it. */
  readonly kept: KeptObject | null;
}

function readItem({ root, placeOf }: Item, kinds: readonly ReadableKind[], keeps: Keeps): ItemRead {
  const apiVersion = root.at("apiVersion").raw;
  const kindName = root.at("kind").raw;
  const refused = (field: string, message: string): ItemRead => ({
    definition: null,
    problems: [
      {
        place: placeOf(field),
        object: null,
        problem: { code: "InvalidObject", severity: "error", field, message },
      },
    ],
    ...{ ignored: null, kept: null },
  });
  if (!root.isObject)
    return refused("", `an object of the Kubernetes API is expected, not ${shown(root.raw)}`);
  if (typeof kindName !== "string") return refused("kind", "the kind of the object is required");
  if (typeof apiVersion !== "string")
    return refused("apiVersion", "the API version of the object is required");
  const found = { group: groupOf(apiVersion), kind: kindName };
  const kept = keeps(found, apiVersion) ? { value: root.raw, place: placeOf(""), placeOf } : null;
  const left = { definition: null, problems: [], ignored: kindText(found), kept };
  for (const kind of kinds.filter((one) => one.kind === kindName)) {
    const as = servedKinds(kind).find((one) => apiVersionOf(one) === apiVersion);
    if (as !== undefined)
      return kind.isLeftAlone === true ? left : { ...readKnown(root, kind, as, placeOf), kept };
  }
  // Nothing of its group is read: it is what it says.
  const isRead = kinds
    .filter(({ isUnread }) => isUnread !== true)
    .flatMap(servedKinds)
    .some(({ group }) => group === found.group);
  if (kept !== null && !isRead) return left;
  const mistake = misnamed(found, apiVersion, kinds);
  return mistake === null ? left : { ...refused(mistake.field, mistake.message), kept };
}

/** No policies, and often beside them: where no policy refers to them, they are not needed, and nothing is reported. */
const leftAlone: ReadonlySet<string> = new Set(["Service", "EndpointSlice.discovery.k8s.io"]);

function shown(value: unknown): string {
  return value === null ? "nothing" : quote(value);
}

function readKnown(
  root: Field,
  kind: ReadableKind,
  as: GroupVersion,
  placeOf: Item["placeOf"],
): Omit<ItemRead, "kept"> {
  const { object, problems } = kind.parse(root.raw, as);
  const own = inOwnApi(kind, as, root.raw);
  const identity = identityOf(root.with(own.value), kind);
  const title = identity?.title ?? null;
  const placed = problems.map((problem) => ({
    place: placeOf(problem.field),
    object: title ?? kind.kind,
    ...(identity === null ? {} : { key: identity.key }),
    problem,
  }));
  const isUnknown = own.problems.some(({ severity }) => severity === "error");
  if (identity === null || isUnknown || problems.some(isAboutIdentity))
    return { definition: null, problems: placed, ignored: null };
  const text = object === null ? "" : canonicalText(object);
  return { definition: { ...identity, object, text, placeOf }, problems: placed, ignored: null };
}

function isAboutIdentity({ severity, field }: Problem): boolean {
  return severity === "error" && (field === "metadata.name" || field === "metadata.namespace");
}

/** Kind and name as far as they can be read, also of an object that is refused. */
function identityOf(root: Field, kind: ReadableKind): { key: ObjectKey; title: string } | null {
  const name = root.at("metadata").at("name").raw;
  if (typeof name !== "string" || name === "") return null;
  const given = root.at("metadata").at("namespace").raw;
  const namespace = typeof given === "string" && given !== "" ? given : "default";
  const place = kind.namespaced ? `${namespace}/${name}` : name;
  const key = objectKey(kind, kind.namespaced ? namespace : null, name);
  return { key, title: `${kind.kind} ${/^[\w./-]{1,320}$/.test(place) ? place : quote(place)}` };
}
