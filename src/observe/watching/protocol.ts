// What a watcher asks of the reader of a node, and what it gets: lines of JSON over a unix socket. The first line of the watcher is the
// question; it says no more.

import { seenVerdicts } from "../decode/event.ts";
import type { PodName, SeenEvent } from "../decode/event.ts";
import type { EventFilter } from "../decode/filter.ts";
import type { Fields } from "./json-values.ts";
import { among, numberOf, objectOf, orNull, readLine, textOf } from "./json-values.ts";

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
  return readLine(line, ({ filter, sinceSeconds, follow }) => ({
    filter: filterOf(objectOf(filter)),
    ...{ sinceSeconds: orNull(sinceSeconds, numberOf), follow: among(follow, [true, false]) },
  }));
}

function filterOf({ pod, namespace, policy, verdict, toPort, hasEstablished }: Fields): EventFilter {
  return {
    pod: orNull(pod, (one) => podOf(objectOf(one))),
    namespace: orNull(namespace, textOf),
    policy: orNull(policy, (one) => policyOf(objectOf(one))),
    verdict: orNull(verdict, (one) => among(one, seenVerdicts)),
    ...{ toPort: orNull(toPort, numberOf), hasEstablished: among(hasEstablished, [true, false]) },
  };
}

function podOf({ namespace, name }: Fields): PodName {
  return { namespace: textOf(namespace), name: textOf(name) };
}

function policyOf({ namespace, name }: Fields): NonNullable<EventFilter["policy"]> {
  return { namespace: orNull(namespace, textOf), name: textOf(name) };
}
