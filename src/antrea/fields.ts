// The field of an Antrea policy that says a part of the policy: a backend's refusal is reported under it.

import type { PolicyPart } from "../policy/contracts/backend.ts";

export function fieldOf(part: PolicyPart): string {
  switch (part.kind) {
    case "policy":
      return "spec";
    case "tier":
    case "priority":
      return `spec.${part.kind}`;
    case "subject":
      return "spec.appliedTo";
    case "unmatched":
      return `spec.${part.direction}`;
    case "rule":
      return ofRule(part);
  }
}

function ofRule({ direction, index, field }: Extract<PolicyPart, { kind: "rule" }>): string {
  const rule = `spec.${direction}[${index}]`;
  switch (field) {
    case "rule":
      return rule;
    case "action":
    case "ports":
      return `${rule}.${field}`;
    case "subject":
      return `${rule}.appliedTo`;
    case "peers":
      return `${rule}.${direction === "ingress" ? "from" : "to"}`;
    case "logging":
      return `${rule}.enableLogging`;
  }
}
