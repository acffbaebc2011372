// Whom a TrafficPolicy, or one of its rules, is about: pods by selectors, or those of a PodSet.

import { readSelector } from "../../src/kubernetes/selector.ts";
import { chosen } from "../../src/kubernetes/shape.ts";
import type { Field } from "../../src/model/reader.ts";
import { Field as Read, Problems, readAll } from "../../src/model/reader.ts";
import { podsRunningAs } from "../../src/model/selectable.ts";
import { allOf, everything } from "../../src/model/selector.ts";
import type { Resolve } from "../../src/policy/contracts/dialect.ts";
import type { PodGroup, Subject } from "../../src/policy/ir.ts";
import { podSetKind } from "./kinds.ts";

export function readSubject(field: Field, resolve: Resolve): Subject | null {
  const items = field.list(0, 10);
  const read = items && readAll(items, (item) => readPods(item, resolve));
  return read?.flat() ?? null;
}

/** `{pods: {…}}`, or `{set: NAME}`, which selects nothing while there is no such PodSet. */
export function readPods(field: Field, resolve: Resolve): readonly PodGroup[] | null {
  switch (chosen(field, ["pods", "set"])) {
    case "pods":
      return readPodGroup(field.at("pods"));
    case "set": {
      const name = field.at("set").string();
      const set = name === null ? null : resolve(podSetKind, null, name);
      if (set === null) return [];
      // What is wrong in the set is said of the set, not of who refers to it.
      return readPodGroup(new Read(new Problems(), "spec", set.spec)) ?? [];
    }
    case "none":
      return field.error("must have one of pods, set");
    case null:
      return null;
  }
}

function readPodGroup(field: Field): readonly PodGroup[] | null {
  const selector = (name: string) => (field.at(name).present ? readSelector(field.at(name)) : everything);
  const [namespaces, pods] = [selector("namespaces"), selector("pods")];
  if (namespaces === null || pods === null) return null;
  const account = field.at("serviceAccount").present ? field.at("serviceAccount").string() : null;
  const all = account === null ? pods : allOf([pods, podsRunningAs([account])]);
  return [{ kind: "pods", namespaces, pods: all }];
}
