// What Calico's dialect makes of an object, in short forms for tables of tests.

import { expect } from "@jest/globals";
import { calicoDialectWith } from "../../src/calico/compile.ts";
import type { PolicyObject, ReferencedObject } from "../../src/model/object.ts";
import type { Direction, Policy, Rule } from "../../src/policy/ir.ts";
import { resolving } from "./antrea.ts";
import { calnp, gnp } from "./calico.ts";

/** Names of domains are not resolved. */
export const calicoDialect = calicoDialectWith("off");

export interface Told {
  readonly policy: Policy | null;
  /** `severity code field: message`. */
  readonly told: readonly string[];
}

export function toldOf(object: PolicyObject, ...others: readonly ReferencedObject[]): Told {
  const { policy, problems } = calicoDialect.compile(object, resolving(...others).resolve);
  return { policy, told: problems.map((p) => `${p.severity} ${p.code} ${p.field}: ${p.message}`) };
}

/** The policy, of which nothing is told. */
export function compiled(object: PolicyObject, ...others: readonly ReferencedObject[]): Policy {
  const { policy, told } = toldOf(object, ...others);
  expect(told).toEqual([]);
  if (policy === null) throw new Error("refused");
  return policy;
}

/** What is told of a policy that is refused. */
export function refusal(object: PolicyObject, ...others: readonly ReferencedObject[]): readonly string[] {
  const { policy, told } = toldOf(object, ...others);
  expect(policy).toBeNull();
  return told;
}

export function oneRule(rule: object, direction: Direction = "ingress", isGlobal = true): PolicyObject {
  const spec = { [direction]: [{ action: "Allow", ...rule }] };
  return isGlobal ? gnp("p", spec) : calnp("p", spec);
}

/** Without the parts that say nothing. */
export function shortRule({ action, peers, ports, own, share, subject, logging }: Rule): object {
  return {
    ...{ action, peers, ports },
    ...(own === undefined ? {} : { own }),
    ...(share === null ? {} : { share }),
    ...(subject === null ? {} : { subject }),
    ...(logging === null ? {} : { logging }),
  };
}

/** The rules of a policy of one rule, of which nothing is told. */
export function rulesOf(
  rule: object,
  { direction = "ingress", isGlobal = true }: { direction?: Direction; isGlobal?: boolean } = {},
  ...others: readonly ReferencedObject[]
): readonly object[] {
  return compiled(oneRule(rule, direction, isGlobal), ...others).rules[direction].map(shortRule);
}
