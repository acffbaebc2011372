// Changes fields of objects in the text of a manifest, and no other byte of it. What it cannot change exactly it refuses, whole:
// the changed text is read again, and must be what the objects are with the changes and nothing else.

import { isDeepStrictEqual } from "node:util";
import type { Document, Node } from "yaml";
import { isMap, isScalar, isSeq, visit } from "yaml";
import type { FieldEdit } from "../../model/objects/field-edit.ts";
import type { ObjectName } from "../../model/object.ts";
import type { TextChange } from "../../lib/text/text-change.ts";
import { applied } from "../../lib/text/text-change.ts";
import { removalIn, replacementOf } from "./changes.ts";
import { segmentsOf } from "./lines.ts";
import type { Step } from "./steps.ts";
import { stepsTo } from "./steps.ts";
import { parseTree } from "./yaml-tree.ts";

/** Of the object with this kind, namespace and name, whichever its group. */
export interface ObjectEdit {
  readonly object: Pick<ObjectName, "kind" | "namespace" | "name">;
  /** As kubectl prints it. */
  readonly field: string;
  readonly edit: FieldEdit;
}

export type Edited =
  | { readonly text: string; readonly changes: readonly TextChange[] }
  /** Why not: one sentence without a full stop. */
  | { readonly refused: string };

/** What no text can be changed for. */
class Refusal extends Error {}

export function editedText(text: string, edits: readonly ObjectEdit[]): Edited {
  try {
    return edited(text, edits);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refused: error.message };
  }
}

function edited(text: string, edits: readonly ObjectEdit[]): Edited {
  const documents = documentsOf(text);
  if (documents.some(hasAliases))
    throw new Refusal("it has aliases, so a change may be one of several places");
  const values = documents.map((document): unknown => document.toJS());
  const removals = new Removals();
  const replacements: TextChange[] = [];
  for (const { object, field, edit } of edits) {
    const steps = stepsOf(documents, object, field);
    if (edit.op === "replace") replacements.push(replaced(steps, edit, text, values));
    else removals.add(steps, edit);
  }
  const changes: TextChange[] = [];
  for (const steps of removals.list()) {
    const change = removalIn(text, steps, (node) => removals.has(node));
    if (change === null)
      throw new Refusal(`${pathText(steps)} is written in a way that cannot be cut out of the text`);
    changes.push(change);
  }
  removals.applyTo(values);
  const isLeft = ({ start, end }: TextChange): boolean =>
    !changes.some((removal) => removal.start <= start && end <= removal.end);
  const all = [...changes, ...replacements.filter(isLeft)];
  const result = applied(text, all);
  const after = documentsOf(result).map((document): unknown => document.toJS());
  if (!isDeepStrictEqual(after, values)) throw new Refusal("the change would change something else too");
  return { text: result, changes: all };
}

function documentsOf(text: string): readonly Document.Parsed[] {
  const tree = parseTree(text);
  if ("message" in tree) throw new Refusal(`it cannot be read: ${tree.message}`);
  const wrong = tree.documents.flatMap(({ errors }) => errors)[0];
  if (wrong !== undefined) throw new Refusal(`it cannot be read: ${wrong.message.split("\n")[0] ?? ""}`);
  return tree.documents;
}

function hasAliases(document: Document.Parsed): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** From the document to the field. */
function stepsOf(
  documents: readonly Document.Parsed[],
  object: ObjectEdit["object"],
  field: string,
): readonly Step[] {
  const roots = documents.flatMap(({ contents }, at) => rootsIn(contents, at));
  const found = roots.filter(({ node }) => isNamed(node, object));
  const [root] = found;
  if (root === undefined || found.length > 1)
    throw new Refusal(`${object.kind} ${object.name} is in it ${found.length} times`);
  const steps = stepsTo(root, segmentsOf(field));
  if (steps === null) throw new Refusal(`${field} is not written in it`);
  return steps;
}

/** The documents, and what lists among them hold. */
function rootsIn(contents: Node | null, at: number): readonly Step[] {
  const root: Step = { node: contents, path: [at], parent: null, key: null };
  const items = isMap(contents) ? contents.get("items") : undefined;
  if (!isSeq<Node>(items)) return [root];
  const list = stepsTo(root, ["items"])?.at(-1) ?? root;
  return items.items.map((node, index) => ({ node, path: [...list.path, index], parent: list, key: null }));
}

function isNamed(node: Node | null, { kind, namespace, name }: ObjectEdit["object"]): boolean {
  if (!isMap(node) || node.get("kind") !== kind || node.getIn(["metadata", "name"]) !== name) return false;
  const own = node.getIn(["metadata", "namespace"]);
  return namespace === null || own === namespace || (own === undefined && namespace === "default");
}

function replaced(
  steps: readonly Step[],
  { from, to }: Extract<FieldEdit, { op: "replace" }>,
  text: string,
  values: readonly unknown[],
): TextChange {
  const step = steps.at(-1);
  const change = step === undefined ? null : replacementOf(text, step.node, from, to);
  if (step === undefined || change === null)
    throw new Refusal(`${pathText(steps)} is not written as one text ${JSON.stringify(from)} on one line`);
  const [last] = step.path.slice(-1);
  const parent = valueAt(values, step.path.slice(0, -1));
  if (last !== undefined) Reflect.set(parent, last, to);
  return change;
}

function valueAt(values: unknown, path: Step["path"]): object {
  let value = values;
  for (const segment of path)
    value = typeof value === "object" && value !== null ? Reflect.get(value, segment) : undefined;
  if (typeof value !== "object" || value === null) throw new Refusal("its values are not what its text says");
  return value;
}

function pathText(steps: readonly Step[]): string {
  return (steps.at(-1)?.path.slice(1) ?? []).join(".");
}

type Removal = Exclude<FieldEdit, { op: "replace" }>;

/** What is to be removed: a field, or the nearest thing around it that has nothing left without it. */
class Removals {
  readonly #steps = new Map<Node, readonly Step[]>();

  add(steps: readonly Step[], edit: Removal): void {
    const field = steps.at(-1)?.node;
    if (!isScalar(field) || field.value !== edit.from)
      throw new Refusal(`${pathText(steps)} is not ${JSON.stringify(edit.from)}`);
    for (let length = steps.length; length > 1; length -= 1) {
      const own = steps.slice(0, length);
      const [node, around] = [own.at(-1)?.node ?? null, own.at(-2)?.node ?? null];
      if (node === null || !this.#isLeft(node, around, edit)) continue;
      if (edit.op === "removeItem" && !isSeq(around)) break;
      this.#steps.set(node, own);
      return;
    }
    throw new Refusal(`${pathText(steps)} is not all that is in an item of a list of several`);
  }

  /** Whether something stays around the node. */
  #isLeft(node: Node, around: Node | null, edit: Removal): boolean {
    if (isSeq<Node>(around)) return around.items.some((one) => one !== node && !this.#steps.has(one));
    const beside = edit.op === "removeItem" ? edit.beside : [];
    return (
      isMap<Node, Node | null>(around) &&
      around.items.some(
        ({ key, value }) => value !== node && !(isScalar(key) && beside.includes(String(key.value))),
      )
    );
  }

  has(node: Node): boolean {
    return this.#steps.has(node);
  }

  /** Without what is inside of another. */
  list(): readonly (readonly Step[])[] {
    const all = [...this.#steps.values()];
    return all.filter(
      (steps) => !steps.slice(0, -1).some(({ node }) => node !== null && this.#steps.has(node)),
    );
  }

  /** The last first: an index counts until what is before it is removed. */
  applyTo(values: readonly unknown[]): void {
    const ordered = this.list()
      .map((steps) => steps.at(-1)?.path ?? [])
      .sort(comparePaths);
    for (const path of ordered) {
      const [last] = path.slice(-1);
      const parent = valueAt(values, path.slice(0, -1));
      if (Array.isArray(parent) && typeof last === "number") parent.splice(last, 1);
      else if (last !== undefined) Reflect.deleteProperty(parent, last);
    }
  }
}

/** Later siblings first. */
function comparePaths(a: Step["path"], b: Step["path"]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [one, other] = [a[at], b[at]];
    if (one === other) continue;
    return typeof one === "number" && typeof other === "number" ? other - one : 0;
  }
  return b.length - a.length;
}
