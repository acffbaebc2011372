// What one zone keeps in the status of an object: a condition, and for some kinds values beside it; their owner, their
// limits, and when two are equal. The kind supplies types, texts and values.

import { createHash } from "node:crypto";
import { Field, Problems } from "../../model/reader.ts";
import type { ApiResponse } from "../transport/api.ts";
import { boundedText } from "./bounded-text.ts";
import type { Condition, StatusFields } from "../read/conditions.ts";

/** A condition's fields that the outcome decides. */
export interface PolicyOutcome {
  /** Each zone has its own. */
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  /**
   * What the status has beside the condition; its kind says there which generation it is about, and not in the condition.
   * Absent: nothing.
   */
  readonly fields?: StatusFields;
}

/** A condition with what the status has beside it. */
export interface ReportedCondition extends Condition {
  readonly fields: StatusFields;
}

/** The length at which OVN-Kubernetes cuts; the CRDs allow two more. */
const messageBytes = 32_766;
/** The API server's limit for a field manager. A node's name may be longer. */
const managerLength = 128;

export function boundedMessage(message: string): string {
  return boundedText(message, messageBytes);
}

/**
 * `left` is what was seen. A different time alone is no difference, nor is a value that only the left one has: it may be
 * another program's. Nor are reason and message when the left one has neither: older definitions of a kind may have
 * no such fields, and an API server leaves out what a definition does not know.
 */
export function isSame(left: ReportedCondition | null, right: ReportedCondition): boolean {
  return (
    left !== null &&
    left.type === right.type &&
    left.status === right.status &&
    ((left.reason === "" && left.message === "") ||
      (left.reason === right.reason && left.message === right.message)) &&
    left.observedGeneration === right.observedGeneration &&
    Object.entries(right.fields).every(([name, value]) => left.fields[name] === value)
  );
}

/** `withWords`: with the reason and the message, which nearly every definition has fields for. */
export function statusBody(told: ReportedCondition, withWords: boolean): object {
  const { fields, observedGeneration, type, status, reason, message, lastTransitionTime } = told;
  const words = withWords ? { reason, message } : {};
  const observed = observedGeneration === null ? {} : { observedGeneration };
  return { ...fields, conditions: [{ type, status, ...words, ...observed, lastTransitionTime }] };
}

/** The server's answer to an apply of a field that the definition does not have: a 500, though the server is well. */
export function refusesWords({ status, body }: ApiResponse): boolean {
  const said = new Field(new Problems(), "", body).at("message").raw;
  return (
    status >= 400 &&
    typeof said === "string" &&
    /\.conditions\[.*\]\.(?:reason|message): field not declared in schema/.test(said)
  );
}

/** The node's name, as in OVN-Kubernetes: an upgrade from one to the other leaves no old entries. */
export function fieldManager(zone: string | null): string {
  if (zone === null) return "northgate";
  if (zone.length <= managerLength) return zone;
  const hash = createHash("sha256").update(zone).digest("hex").slice(0, 16);
  return `${zone.slice(0, managerLength - hash.length - 1)}-${hash}`;
}
