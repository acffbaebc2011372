// Why the connections of a class come to be denied, allowed or unknown, in words: which edit took away or put in the rule that
// decides, and what decides now. Policies of one name in many namespaces are one cause. Where no rule that decides or passes was edited,
// the pods' own edits are the cause, or the only edit that there is; where there are several, the deciding rules are named.

import type { Ref } from "../../analysis/ref.ts";
import { refText } from "../../analysis/ref.ts";
import { counted } from "../../lib/counted.ts";
import { listed } from "../../lib/text/few.ts";
import { factKinds, objectKey } from "../../model/object.ts";
import { directions } from "../../policy/ir.ts";
import { isNodeWay } from "../../policy/outside.ts";
import { namespaceOf } from "../titles/pod-parts.ts";
import type { Decider, Deciders, Edit } from "../report.ts";
import type { Decided } from "../shown-classes.ts";
import type { Both } from "../../verdicts/worlds.ts";
import { namespacesText } from "../titles/few-ends.ts";
import { deciderText, fieldText, someText } from "../words.ts";
import type { EditedObject, Edits } from "./edits.ts";

export interface Cause {
  readonly text: string;
  readonly edits: readonly Edit[];
}

/** An edit of one object or of objects alike in several namespaces. */
interface Part {
  readonly alike: EditedObject;
  readonly edits: Map<string, Edit>;
}

interface Growing {
  readonly parts: Map<string, Part>;
  readonly tail: string;
}

export class Causes {
  readonly #edits: Edits;

  constructor(edits: Edits) {
    this.#edits = edits;
  }

  /** The most frequent first. */
  of(decided: Iterable<Decided>): readonly Cause[] {
    const found = new Map<string, Growing & { count: number }>();
    for (const one of decided) {
      const edited = this.#edited(one);
      const tail = this.#tailOf(one, edited);
      const named = new Map(edited.map((each) => [alikeText(each), each]));
      const key = `${[...named.keys()].sort().join(" ")} ${tail}`;
      const cause = found.get(key) ?? { parts: new Map<string, Part>(), tail, count: 0 };
      found.set(key, cause);
      cause.count++;
      for (const each of edited) {
        const text = alikeText(each);
        const part = cause.parts.get(text) ?? { alike: each, edits: new Map<string, Edit>() };
        cause.parts.set(text, part);
        part.edits.set(refText(each.edit.object), each.edit);
      }
    }
    return [...found.values()].sort((a, b) => b.count - a.count).map(causeOf);
  }

  #edited({ by, ends, edited }: Decided): readonly EditedObject[] {
    const refs = changedSides(by).flatMap((side) => [...edited.old[side], ...edited.new[side]]);
    const deciding = refs.flatMap((ref) => this.#edits.of(ref) ?? []);
    if (deciding.length > 0) return [...new Set(deciding)];
    const facts = [ends.from, ends.to].flatMap((pod) =>
      pod === null || "workload" in pod ? [] : factsOf(pod.key),
    );
    const own = facts.flatMap((ref) => this.#edits.of(ref) ?? []);
    if (own.length > 0) return [...new Set(own)];
    return this.#edits.all.length === 1 ? this.#edits.all : [];
  }

  /** What decides now. */
  #tailOf({ by }: Decided, edited: readonly EditedObject[]): string {
    const [side] = changedSides(by);
    if (side === undefined) return "";
    const now = nowText(by.new[side], edited);
    return edited.length > 0 ? now : `${now}; before, ${beforeText(by.old[side])}`;
  }
}

/** Where the verdict differs; where it does on none, because one side is open in both, all. */
function changedSides({ old, new: next }: Both<Deciders>): readonly ("egress" | "ingress")[] {
  const sides = directions.toReversed().filter((side) => old[side].verdict !== next[side].verdict);
  return sides.length > 0 ? sides : directions.toReversed();
}

function factsOf(key: Parameters<typeof namespaceOf>[0]): readonly Ref[] {
  const home = namespaceOf(key);
  const { Pod: pod, Namespace: namespace } = factKinds;
  return [
    { group: pod.group, kind: pod.kind, namespace: home, name: key.slice(home.length + 1) },
    { group: namespace.group, kind: namespace.kind, namespace: null, name: home },
  ];
}

/** Equal for objects that differ by their namespace alone and were edited alike. */
function alikeText({ edit: { op, object }, fields }: EditedObject): string {
  const isPod = object.kind === "Pod" && object.group === "";
  const isNamespace = object.kind === "Namespace" && object.group === "";
  const name = isPod || isNamespace ? "" : object.name;
  return JSON.stringify([op, object.group, object.kind, name, fields]);
}

const verbs = { added: "added", removed: "removed", changed: "edited" } as const;

function causeOf({ parts, tail }: Growing): Cause {
  const texts = [...parts.values()].map(partText);
  const shown = texts.length > 3 ? [...texts.slice(0, 2), `${texts.length - 2} more edits`] : texts;
  return {
    text: [listed(shown), tail].filter((text) => text !== "").join("; "),
    edits: [...parts.values()].flatMap(({ edits }) => [...edits.values()]),
  };
}

function partText({ alike: { edit, fields }, edits }: Part): string {
  const { object, op } = edit;
  const objects = [...edits.values()].map((one) => one.object);
  const verb = `was ${verbs[op]}`;
  const how = fields.length === 0 ? "" : ` (${fieldsText(fields)})`;
  if (objects.length === 1) return `${refText(object)} ${verb}${how}`;
  if (object.group === "" && (object.kind === "Pod" || object.kind === "Namespace"))
    return `${objects.length} ${object.kind}s were ${verbs[op]}${how}`;
  const homes = objects.flatMap(({ namespace }) => namespace ?? []);
  return `${object.kind} ${object.name} ${verb} in ${namespacesText(homes)}${how}`;
}

function fieldsText(fields: EditedObject["fields"]): string {
  const [first, ...rest] = fields;
  if (first === undefined) return "";
  // The text of a list or an object is under the changed policies.
  const isPlain = [first.old, first.new].every((value) => typeof value !== "object" || value === null);
  if (rest.length === 0) return isPlain ? fieldText(first) : first.field;
  return `${first.field} and ${counted(rest.length, "more field")}`;
}

/** "it" is the one edited object that the text has named. */
function nowText(decider: Decider, edited: readonly EditedObject[]): string {
  const [only, ...others] = edited;
  const isIt = (ref: Ref) =>
    only !== undefined && others.length === 0 && refText(only.edit.object) === refText(ref);
  switch (decider.by) {
    case "isolation":
      return isolationText(decider.policies ?? [], isIt);
    case "rule":
      return ruleDecidesText(decider, isIt);
    case "tie":
      return `${someText(decider.policies ?? [])} have equal priority and disagree`;
    case "open":
      return `the network plugin leaves it open, for ${someText(decider.policies ?? [])}`;
    case "default":
      return "no policy decides";
    case "exempt":
      return "no policy applies";
    case "address":
      return `it depends on where pods will be, for ${someText(decider.policies ?? [])}`;
  }
}

function isolationText(policies: readonly Ref[], isIt: (ref: Ref) => boolean): string {
  const names = [...new Set(policies.map(({ name }) => name))].sort();
  if (names.length > 1) return `${fewText(names)} isolate them`;
  return `${policies.every(isIt) ? "it" : fewText(names)} isolates them`;
}

function ruleDecidesText(decider: Decider, isIt: (ref: Ref) => boolean): string {
  const { policy, rule } = decider;
  if (policy === undefined || rule === undefined) return "";
  if (isNodeWay(objectKey(policy, policy.namespace, policy.name))) return "a node reaches its own pods";
  const whose = isIt(policy) ? "its" : `${policy.kind} ${policy.name}`;
  return `${whose} ${deciderText(decider, true)} ${actions[rule.action]} them`;
}

const actions = { allow: "allows", deny: "denies", reject: "rejects", pass: "passes" } as const;

function beforeText(decider: Decider): string {
  const { by, policy } = decider;
  if (by === "default" || by === "exempt") return "no policy decided";
  const text = deciderText(decider, true);
  return policy === undefined ? text : `${policy.kind} ${policy.name} ${text}`;
}

function fewText(names: readonly string[]): string {
  return names.length > 3 ? listed([...names.slice(0, 2), `${names.length - 2} more`]) : listed(names);
}
