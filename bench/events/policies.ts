// Events of policies and of nodes: a policy of 20 + 20 rules comes, changes in one port, moves to another priority and
// goes; a node comes and goes.

import type { PolicyObject } from "../../src/model/object.ts";
import { churnPolicy } from "../workloads/churn.ts";
import { gone, made, nodeOf } from "../workloads/world.ts";
import { type Scenario, step } from "./step.ts";

export const onePolicy: Scenario = function* ({ workload, repetitions }) {
  const policy = churnPolicy(workload);
  const port = workload.kind === "cnp" ? '"number"' : '"port"';
  for (let round = 0; round < Math.ceil(repetitions / 5); round++) {
    yield step("policy added", [made(policy)]);
    yield step("policy edited in one port", [made(edited(policy, `${port}:8000`, `${port}:8888`))]);
    yield step(null, [made(policy)]);
    // A NetworkPolicy has none.
    if (workload.kind !== "np")
      yield step("policy's priority moved", [made(edited(policy, '"priority":99', '"priority":98'))]);
    yield step("policy deleted", [gone(policy)]);
  }
};

/** The policy with the first such text of its spec replaced. */
function edited(policy: PolicyObject, from: string, to: string): PolicyObject {
  const before = JSON.stringify(policy.spec);
  const after = before.replace(from, to);
  if (after === before) throw new Error(`the policy has no ${from}`);
  return { ...policy, spec: JSON.parse(after) };
}

export const oneNode: Scenario = function* ({ workload, repetitions }) {
  for (let round = 0; round < Math.ceil(repetitions / 5); round++) {
    const node = nodeOf(workload.nodes + round);
    yield step("node added", [made(node)]);
    yield step("node deleted", [gone(node)]);
  }
};
