// The subject of a TrafficPolicy, or of one of its rules: pods by selectors, or those of PodSets, by name or by labels.

import { readSelector } from "../../src/kubernetes/selector.ts";
import { chosen } from "../../src/kubernetes/shape.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import type { Field } from "../../src/model/reader.ts";
import { Field as Read, Problems, readAll } from "../../src/model/reader.ts";
import { namespacesNamed, podsRunningAs } from "../../src/model/selectable.ts";
import { allOf, everything } from "../../src/model/selector.ts";
import type { Resolve } from "../../src/policy/contracts/resolve.ts";
import type { PodGroup, Subject } from "../../src/policy/ir.ts";
import { podSetKind, serviceAccountKind } from "./kinds.ts";

export function readSubject(field: Field, resolve: Resolve): Subject | null {
  const items = field.list(0, 10);
  const read = items && readAll(items, (item) => readPods(item, resolve));
  return read?.flat() ?? null;
}

/**
 * `{pods: {…}}`, or `{set: NAME}`, which selects nothing while there is no such PodSet, or `{sets: SELECTOR}`: what all PodSets with
 * these labels select.
 */
export function readPods(field: Field, resolve: Resolve): readonly PodGroup[] | null {
  switch (chosen(field, ["pods", "set", "sets"])) {
    case "pods":
      return readPodGroups(field.at("pods"), resolve);
    case "set": {
      const name = field.at("set").string();
      const set = name === null ? null : resolve(podSetKind, null, name);
      return set === null ? [] : podsOf(set, resolve);
    }
    case "sets": {
      const selector = readSelector(field.at("sets"));
      return selector && resolve.labelled(podSetKind, null, selector).flatMap((set) => podsOf(set, resolve));
    }
    case "none":
      return field.error("must have one of pods, set, sets");
    case null:
      return null;
  }
}

/** What is wrong in the set is reported on the set, not on the policy that refers to it. */
function podsOf({ spec }: PolicyObject, resolve: Resolve): readonly PodGroup[] {
  return readPodGroups(new Read(new Problems(), "spec", spec), resolve) ?? [];
}

/** By `namespaces`, `pods`, the name of a `serviceAccount`, or labels of `serviceAccounts`. */
function readPodGroups(field: Field, resolve: Resolve): readonly PodGroup[] | null {
  const selector = (name: string) => (field.at(name).present ? readSelector(field.at(name)) : everything);
  const [namespaces, pods] = [selector("namespaces"), selector("pods")];
  if (namespaces === null || pods === null) return null;
  const account = field.at("serviceAccount").present ? field.at("serviceAccount").string() : null;
  const all = account === null ? pods : allOf([pods, podsRunningAs([account])]);
  if (!field.at("serviceAccounts").present) return [{ kind: "pods", namespaces, pods: all }];
  const accounts = readSelector(field.at("serviceAccounts"));
  if (accounts === null) return null;
  const found = Map.groupBy(
    resolve.labelled(serviceAccountKind, null, accounts),
    (one) => one.namespace ?? "",
  );
  return Array.from(found, ([namespace, list]) => ({
    kind: "pods",
    namespaces: allOf([namespaces, namespacesNamed([namespace])]),
    pods: allOf([all, podsRunningAs(list.map(({ name }) => name))]),
  }));
}
