// Maps a part of a policy to the field of these kinds that holds it: the field of a backend's refusal.

import { loggingAnnotation } from "../kubernetes/logging.ts";
import type { PolicyPart } from "../policy/backend.ts";
import type { Direction } from "../policy/ir.ts";

const peers: Readonly<Record<Direction, string>> = { ingress: "from", egress: "to" };

export function fieldOf(part: PolicyPart): string {
  switch (part.kind) {
    case "policy":
    case "tier":
      return "spec";
    case "priority":
    case "subject":
      return `spec.${part.kind}`;
    case "unmatched":
      return `spec.${part.direction}`;
    case "rule":
      return ruleField(part);
  }
}

/** A rule has no subject of its own here; an annotation sets which verdicts are logged. */
function ruleField({ direction, index, field }: Extract<PolicyPart, { kind: "rule" }>): string {
  const rule = `spec.${direction}[${index}]`;
  switch (field) {
    case "rule":
    case "subject":
      return rule;
    case "action":
    case "ports":
      return `${rule}.${field}`;
    case "peers":
      return `${rule}.${peers[direction]}`;
    case "logging":
      return `metadata.annotations["${loggingAnnotation}"]`;
  }
}
