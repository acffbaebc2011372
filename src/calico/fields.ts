// The field of a policy that says a part of it: a backend's refusal is reported under it.

import type { PolicyPart } from "../policy/contracts/backend.ts";
import type { Direction } from "../policy/ir.ts";

export function fieldOf(part: PolicyPart): string {
  switch (part.kind) {
    case "policy":
      return "spec";
    case "tier":
      return "spec.tier";
    case "priority":
      return "spec.order";
    case "subject":
      return "spec.selector";
    case "unmatched":
      return "spec.types";
    case "rule":
      return ofRule(part);
  }
}

/** The side of a rule that says its peers, and the side of the pods that it applies to. */
export const sides: Readonly<Record<Direction, { readonly peer: string; readonly own: string }>> = {
  ingress: { peer: "source", own: "destination" },
  egress: { peer: "destination", own: "source" },
};

function ofRule({ direction, index, field }: Extract<PolicyPart, { kind: "rule" }>): string {
  const rule = `spec.${direction}[${index}]`;
  switch (field) {
    case "rule":
      return rule;
    case "action":
    case "logging":
      return `${rule}.action`;
    case "ports":
      return `${rule}.destination.ports`;
    case "subject":
      return `${rule}.${sides[direction].own}`;
    case "peers":
      return `${rule}.${sides[direction].peer}`;
  }
}
