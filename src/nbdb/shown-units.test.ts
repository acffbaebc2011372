// Units in a log line: what is nobody's policy is not counted as one.

import { expect, test } from "@jest/globals";
import { policyKey } from "../policy/ir.ts";
import { ownNodeKey } from "../policy/own-node.ts";
import { sharedUnit, unitOfPolicy } from "./rows/unit.ts";
import { unitCounts } from "./shown-units.ts";

const web = { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "shop", name: "web" };
const policy = unitOfPolicy(policyKey(web));

test("policies are those that somebody wrote", () => {
  expect(unitCounts(new Set([policy]))).toEqual({ policies: 1 });
  const others = [unitOfPolicy(ownNodeKey("node-1", "namespaced")), sharedUnit("set", "x")];
  expect(unitCounts(new Set([policy, ...others]))).toEqual({ policies: 1, shared: 2 });
});
