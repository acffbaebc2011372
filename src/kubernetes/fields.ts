// Maps a part of a policy to the field that holds it, for the cluster-wide kinds: the field of a backend's refusal.

import type { PolicyPart } from "../policy/contracts/backend.ts";
import type { Direction } from "../policy/ir.ts";
import { loggingAnnotation } from "./logging.ts";

const peers: Readonly<Record<Direction, string>> = { ingress: "from", egress: "to" };

/** The fields that the kinds name differently. */
export interface OwnFields {
  readonly tier: string;
  /** Of a rule. */
  readonly ports: string;
}

export function fieldOf(part: PolicyPart, own: OwnFields): string {
  switch (part.kind) {
    case "policy":
      return "spec";
    case "tier":
      return own.tier;
    case "priority":
    case "subject":
      return `spec.${part.kind}`;
    case "unmatched":
      return `spec.${part.direction}`;
    case "rule":
      return ruleField(part, own);
  }
}

/** A rule has no subject of its own here; an annotation sets which verdicts are logged. */
function ruleField(
  { direction, index, field }: Extract<PolicyPart, { kind: "rule" }>,
  own: OwnFields,
): string {
  const rule = `spec.${direction}[${index}]`;
  switch (field) {
    case "rule":
    case "subject":
      return rule;
    case "action":
      return `${rule}.action`;
    case "ports":
      return `${rule}.${own.ports}`;
    case "peers":
      return `${rule}.${peers[direction]}`;
    case "logging":
      return `metadata.annotations["${loggingAnnotation}"]`;
  }
}
