// One watch from one version to its end: events of the stream as changes, in order. An incomplete last event of a cut
// stream is dropped. The caller decides what to do after the end.

import { Field, Problems } from "../../model/reader.ts";
import type { ObjectShape } from "../protobuf/envelope.ts";
import type { KubeApi } from "../transport/api.ts";
import { Failure, failureOfAnswer, failureOfEvent } from "../transport/failure.ts";

export type WatchEvent =
  | { readonly type: "present"; readonly version: string; readonly object: unknown }
  | { readonly type: "deleted"; readonly version: string; readonly object: unknown }
  | { readonly type: "bookmark"; readonly version: string };

export interface WatchRequest {
  readonly api: KubeApi;
  readonly path: string;
  readonly version: string;
  /** As of an ApiRequest. */
  readonly shape?: ObjectShape | null;
  readonly timeoutSeconds: number;
  /** The watch is closed after this time without a byte. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** Resolves when the server has accepted; throws a Failure, at once or while the caller reads. */
export async function watch(request: WatchRequest): Promise<AsyncIterable<WatchEvent>> {
  const { api, path, version, shape = null, timeoutSeconds, idleMs, signal } = request;
  const { events, ...head } = await api.stream({
    method: "GET",
    path,
    query: {
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: version,
      timeoutSeconds: String(timeoutSeconds),
    },
    ...(shape === null ? {} : { shape }),
    idleMs,
    signal,
  });
  if (head.status !== 200) throw failureOfAnswer(head);
  return changes(events);
}

async function* changes(events: AsyncIterable<readonly unknown[]>): AsyncGenerator<WatchEvent> {
  for await (const several of events) for (const event of several) yield readEvent(event);
}

function readEvent(value: unknown): WatchEvent {
  const event = new Field(new Problems(), "", value);
  const object = event.at("object");
  const version = object.at("metadata").at("resourceVersion").raw;
  const type = event.at("type").raw;
  if (type === "ERROR") throw failureOfEvent(object);
  if (typeof version !== "string" || version === "") throw unreadable();
  if (type === "BOOKMARK") return { type: "bookmark", version };
  if (type === "ADDED" || type === "MODIFIED") return { type: "present", version, object: object.raw };
  if (type === "DELETED") return { type: "deleted", version, object: object.raw };
  throw unreadable();
}

function unreadable(): Failure {
  return new Failure("malformed", "an event of the watch cannot be read");
}
