// The field of a NetworkPolicy that says a part of the policy: a backend's refusal is reported under it.

import { fieldOf as commonFieldOf } from "../kubernetes/fields.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";

export function fieldOf(part: PolicyPart): string {
  switch (part.kind) {
    case "priority":
      return "spec";
    case "subject":
      return "spec.podSelector";
    case "unmatched":
      return "spec.policyTypes";
    case "policy":
    case "tier":
      return commonFieldOf(part, { tier: "spec", ports: "ports" });
    case "rule": {
      // Every rule allows: the action has no field.
      const field = part.field === "action" ? "rule" : part.field;
      return commonFieldOf({ ...part, field }, { tier: "spec", ports: "ports" });
    }
  }
}
