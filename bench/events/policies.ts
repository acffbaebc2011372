// Events of policies and of nodes: a policy of 20 + 20 rules comes, changes in one port, moves to another priority and
// goes; a node comes and goes.

import type { PolicyObject } from "../../src/model/object.ts";
import { churnPolicies } from "../workloads/churn.ts";
import { gone, made, nodeOf } from "../workloads/world.ts";
import { type Scenario, step, type Step } from "./step.ts";

export const onePolicy: Scenario = function* ({ workload, repetitions }) {
  for (const [called, policy] of churnPolicies(workload)) yield* wholeLife(called, policy, repetitions);
};

function* wholeLife(called: string, policy: PolicyObject, repetitions: number): Generator<Step> {
  const withPort = edited(policy, /(?<field>"port":|"number":|"ports":\[)8000/, "$<field>8888");
  if (withPort === null) throw new Error("the policy has no port 8000");
  // A NetworkPolicy has none.
  const moved = edited(policy, /"(priority|order)":99/, '"$1":98');
  for (let round = 0; round < Math.ceil(repetitions / 5); round++) {
    yield step(`${called} added`, [made(policy)]);
    yield step(`${called} edited in one port`, [made(withPort)]);
    yield step(null, [made(policy)]);
    if (moved !== null) yield step(`${called}'s priority moved`, [made(moved)]);
    yield step(`${called} deleted`, [gone(policy)]);
  }
}

/** The policy with the first such text of its spec replaced; null: there is none. */
function edited(policy: PolicyObject, from: RegExp, to: string): PolicyObject | null {
  const before = JSON.stringify(policy.spec);
  const after = before.replace(from, to);
  return after === before ? null : { ...policy, spec: JSON.parse(after) };
}

export const oneNode: Scenario = function* ({ workload, repetitions }) {
  for (let round = 0; round < Math.ceil(repetitions / 5); round++) {
    const node = nodeOf(workload.nodes + round);
    yield step("node added", [made(node)]);
    yield step("node deleted", [gone(node)]);
  }
};
