// A TrafficPolicy's spec → IR: tier, priority, subjects, rules, and which directions are denied where no rule matches.

import { readSelector } from "../../src/kubernetes/selector.ts";
import { chosen } from "../../src/kubernetes/shape.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import type { Field } from "../../src/model/reader.ts";
import { Field as Read, Problems, readAll } from "../../src/model/reader.ts";
import { podsRunningAs } from "../../src/model/selectable.ts";
import { allOf, everything } from "../../src/model/selector.ts";
import type { Compiled, Resolve } from "../../src/policy/dialect.ts";
import type { Policy, PodGroup, Subject, Tier } from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import { group, podSet } from "./index.ts";
import { readRules } from "./rules.ts";

/** The three that every cluster has, and one before them. */
const known: ReadonlyMap<string, Tier> = new Map(
  [{ name: "early", order: 0.5 }, ...Object.values(tiers)].map((tier) => [tier.name, tier]),
);

export function compile(object: PolicyObject, resolve: Resolve): Compiled {
  const problems = new Problems();
  const spec = new Read(problems, "spec", object.spec);
  const tier = known.get(spec.at("tier").string() ?? "") ?? spec.at("tier").error("is no tier");
  const priority = spec.at("priority").integer(-1000, 5000);
  const subject = readSubject(spec.at("appliedTo"), resolve);
  const ingress = readRules(spec.at("ingress"), resolve);
  const egress = readRules(spec.at("egress"), resolve);
  if (tier === null || priority === null || subject === null || ingress === null || egress === null)
    return { policy: null, problems: problems.list() };
  const isolated = spec
    .at("isolates")
    .items()
    .map(({ raw }) => raw);
  const policy: Policy = {
    key: keyOf(object),
    ref: { group, kind: object.kind, namespace: null, name: object.name },
    ...{ ownerType: "TrafficPolicy", shortKind: "TP", tier, priority, subject },
    rules: { ingress, egress },
    unmatched: {
      ingress: isolated.includes("ingress") ? "deny" : "next",
      egress: isolated.includes("egress") ? "deny" : "next",
    },
    logging: { allow: null, deny: null, pass: null, reject: null },
  };
  return problems.failed
    ? { policy: null, problems: problems.list() }
    : { policy, problems: problems.list() };
}

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
      const set = name === null ? null : resolve(podSet, null, name);
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
