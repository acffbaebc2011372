// Ways to name pods that subjects, peers and groups share: by selectors, by service account, by Service. A podSelector
// without a namespaceSelector is about the object's own namespace, and about every namespace where it has none.

import { readSelector } from "../../kubernetes/selector.ts";
import type { Field } from "../../model/reader.ts";
import { Field as Read, Problems } from "../../model/reader.ts";
import { namespacesNamed, podsRunningAs } from "../../model/selectable.ts";
import { everything } from "../../model/selector.ts";
import { serviceKind } from "../../model/service.ts";
import { isDnsLabel, isDnsSubdomain } from "../../model/syntax.ts";
import type { PodGroup } from "../../policy/ir.ts";
import type { Members } from "./members.ts";
import { noMembers } from "./members.ts";
import type { Reading } from "../reading.ts";

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** `podSelector` and `namespaceSelector` of an object of this namespace; null: it is in none. */
export function readPods(field: Field, namespace: string | null): PodGroup | null {
  const [scope, selector] = [field.at("namespaceSelector"), field.at("podSelector")];
  const own = namespace === null ? everything : namespacesNamed([namespace]);
  const namespaces = scope.present ? readSelector(scope) : own;
  const pods = selector.present ? readSelector(selector) : everything;
  return namespaces && pods && { kind: "pods", namespaces, pods };
}

export function readServiceAccount(field: Field): PodGroup | null {
  const account = readNamespacedName(field, null);
  if (account === null) return null;
  const { namespace, name } = account;
  return { kind: "pods", namespaces: namespacesNamed([namespace]), pods: podsRunningAs([name]) };
}

/** `unset`: the namespace where none is written; null: one must be. */
export function readNamespacedName(field: Field, unset: string | null): NamespacedName | null {
  if (!field.object()) return null;
  const name = nameAt(field.at("name"));
  const given = field.at("namespace");
  const namespace = given.present || unset === null ? namespaceAt(given) : unset;
  return name && namespace ? { namespace, name } : null;
}

/** The name of an object: nothing else may be asked for. */
export function nameAt(field: Field): string | null {
  const name = field.string();
  if (name === null || isDnsSubdomain(name)) return name;
  return field.error(`${field.quoted} is not a valid name`, "InvalidName");
}

function namespaceAt(field: Field): string | null {
  const name = field.string();
  if (name === null || isDnsLabel(name)) return name;
  return field.error(`${field.quoted} is not a valid name of a namespace`, "InvalidName");
}

/** The pods that the Service selects. It may be added later, and a Service without a selector selects none. */
export function readServicePods(field: Field, unset: string | null, reading: Reading): Members | null {
  const service = readNamespacedName(field, unset);
  if (service === null) return null;
  const { namespace, name } = service;
  const object = reading.resolve(serviceKind, namespace, name);
  const called = `Service ${namespace}/${name}`;
  if (object === null) return noneYet(field, `there is no ${called}`);
  const { raw } = new Read(new Problems(), "spec", object.spec).at("selector");
  const pods = readSelector(new Read(new Problems(), "spec", { matchLabels: raw }));
  if (pods === null) return noneYet(field, `the selector of ${called} cannot be read`);
  if (pods.text === everything.text) return noneYet(field, `${called} has no selector`);
  return { ...noMembers, pods: [{ kind: "pods", namespaces: namespacesNamed([namespace]), pods }] };
}

function noneYet(field: Field, why: string): Members {
  field.warn(`${why}, so this selects nothing`, "MissingReference");
  return noMembers;
}
