// A TrafficPolicy's spec → IR: tier, priority, subjects, rules, and which directions are denied where no rule matches. Without a
// priority it comes last in its tier; `tie` orders those of one priority.

import type { PolicyObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import { Field, Problems } from "../../src/model/reader.ts";
import type { Compiled } from "../../src/policy/contracts/dialect.ts";
import type { Resolve } from "../../src/policy/contracts/resolve.ts";
import { kindInHead } from "../../src/policy/contracts/dialect.ts";
import type { LogSeverity, Policy, Tier } from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import { trafficPolicyKind } from "./kinds.ts";
import { readRules } from "./rules.ts";
import { readSubject } from "./subjects.ts";

/** The three that every cluster has, two of one order before them, and one behind every number. */
const own: readonly Tier[] = [
  { name: "dawn", order: 0.5 },
  { name: "early", order: 0.5 },
  { name: "last", order: Number.POSITIVE_INFINITY },
];
const known: ReadonlyMap<string, Tier> = new Map(
  [...own, ...Object.values(tiers)].map((tier) => [tier.name, tier]),
);

export function compile(object: PolicyObject, resolve: Resolve, denied: LogSeverity | null): Compiled {
  const problems = new Problems();
  const spec = new Field(problems, "spec", object.spec);
  const tier = known.get(spec.at("tier").string() ?? "") ?? spec.at("tier").error("is no tier");
  const priority = spec.at("priority").present ? spec.at("priority").integer(-1000, 5000) : Infinity;
  const tie = spec.at("tie").present ? spec.at("tie").string() : null;
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
    ref: { group: trafficPolicyKind.group, kind: object.kind, namespace: null, name: object.name },
    ...{ ...kindInHead(trafficPolicyKind), tier, priority, subject },
    ...(tie === null ? {} : { tie }),
    rules: { ingress, egress },
    unmatched: {
      ingress: isolated.includes("ingress") ? "deny" : "next",
      egress: isolated.includes("egress") ? "deny" : "next",
    },
    logging: { allow: null, deny: denied, pass: null, reject: null },
  };
  return problems.failed
    ? { policy: null, problems: problems.list() }
    : { policy, problems: problems.list() };
}
