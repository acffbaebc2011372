// The condition that one zone keeps on every policy: its owner, its limits, and when two are equal. The policy's kind
// supplies its type and texts.

import { createHash } from "node:crypto";
import { boundedText } from "./bounded-text.ts";
import type { Condition } from "../read/conditions.ts";

/** A condition's fields that the outcome decides. */
export interface PolicyOutcome {
  /** Each zone has its own. */
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The length at which OVN-Kubernetes cuts; the CRDs allow two more. */
const messageBytes = 32_766;
/** The API server's limit for a field manager. A node's name may be longer. */
const managerLength = 128;

export function boundedMessage(message: string): string {
  return boundedText(message, messageBytes);
}

/** A different time alone is no difference: it is the time of the other fields. */
export function isSame(left: Condition | null, right: Condition): boolean {
  return (
    left !== null &&
    left.type === right.type &&
    left.status === right.status &&
    left.reason === right.reason &&
    left.message === right.message &&
    left.observedGeneration === right.observedGeneration
  );
}

export function conditionBody({ observedGeneration, ...condition }: Condition): object {
  return observedGeneration === null ? condition : { ...condition, observedGeneration };
}

/** The node's name, as in OVN-Kubernetes: an upgrade from one to the other leaves no old entries. */
export function fieldManager(zone: string | null): string {
  if (zone === null) return "northgate";
  if (zone.length <= managerLength) return zone;
  const hash = createHash("sha256").update(zone).digest("hex").slice(0, 16);
  return `${zone.slice(0, managerLength - hash.length - 1)}-${hash}`;
}
