// What a watcher asks of the reader of a node, and what it gets: lines of JSON over a unix socket. The first line of the watcher is the
// question; it says no more.

import { seenVerdicts } from "../decode/event.ts";
import type { PodName, SeenEvent, SeenVerdict } from "../decode/event.ts";
import type { EventFilter } from "../decode/filter.ts";

export interface Question {
  readonly filter: EventFilter;
  /** Of what is kept, in seconds before now; null: all. */
  readonly sinceSeconds: number | null;
  /** Whether what is seen from now on is wanted too. */
  readonly follow: boolean;
}

/** One line of an answer. `lost`: events that the watcher did not take in time; `note`: a sentence about what is not seen. */
export type AnswerLine =
  { readonly event: SeenEvent } | { readonly lost: number } | { readonly note: string };

export const longestQuestion = 4_096;

/** null: the line is no question. */
export function parseQuestion(line: string): Question | null {
  const asked = objectIn(line);
  const filter = asked === null ? null : filterOf(asked["filter"]);
  if (asked === null || filter === null) return null;
  const { sinceSeconds, follow } = asked;
  if (sinceSeconds !== null && typeof sinceSeconds !== "number") return null;
  return typeof follow === "boolean" ? { filter, sinceSeconds, follow } : null;
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(line);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function filterOf(value: unknown): EventFilter | null {
  if (!isObject(value)) return null;
  const { pod, namespace, policy, verdict, toPort, hasEstablished } = value;
  if (!isNullOr(pod, isPodName) || !isNullOr(policy, isPolicyName)) return null;
  if (!isNullOr(namespace, isText) || !isNullOr(verdict, isVerdict)) return null;
  if (!isNullOr(toPort, isNumber) || typeof hasEstablished !== "boolean") return null;
  return { pod, namespace, policy, verdict, toPort, hasEstablished };
}

type Is<T> = (value: unknown) => value is T;
const isObject: Is<Readonly<Record<string, unknown>>> = (value): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText: Is<string> = (value): value is string => typeof value === "string";
const isNumber: Is<number> = (value): value is number => typeof value === "number";
const isVerdict: Is<SeenVerdict> = (value): value is SeenVerdict =>
  seenVerdicts.some((verdict) => verdict === value);
const isPodName: Is<PodName> = (value): value is PodName =>
  isObject(value) && isText(value["namespace"]) && isText(value["name"]);
const isPolicyName: Is<NonNullable<EventFilter["policy"]>> = (
  value,
): value is NonNullable<EventFilter["policy"]> =>
  isObject(value) && isNullOr(value["namespace"], isText) && isText(value["name"]);
function isNullOr<T>(value: unknown, is: Is<T>): value is T | null {
  return value === null || is(value);
}
