// The field of a backend's refusal: every part of a policy has a field of these kinds.

import { expect, test } from "@jest/globals";
import type { PolicyPart } from "../policy/contracts/backend.ts";
import { fieldOf } from "./fields.ts";

const ofRule = (
  field: Extract<PolicyPart, { kind: "rule" }>["field"],
  direction: "ingress" | "egress" = "ingress",
) => ({ kind: "rule", direction, index: 3, field }) as const;

test.each<[PolicyPart, string]>([
  [{ kind: "policy" }, "spec"],
  [{ kind: "tier" }, "spec"],
  [{ kind: "priority" }, "spec.priority"],
  [{ kind: "subject" }, "spec.subject"],
  [{ kind: "unmatched", direction: "egress" }, "spec.egress"],
  [ofRule("rule"), "spec.ingress[3]"],
  [ofRule("action"), "spec.ingress[3].action"],
  [ofRule("subject"), "spec.ingress[3]"],
  [ofRule("peers"), "spec.ingress[3].from"],
  [ofRule("peers", "egress"), "spec.egress[3].to"],
  [ofRule("ports"), "spec.ingress[3].ports"],
  [ofRule("logging"), 'metadata.annotations["k8s.ovn.org/acl-logging"]'],
])("%j is %s", (part, field) => {
  expect(fieldOf(part, { tier: "spec", ports: "ports" })).toBe(field);
});
