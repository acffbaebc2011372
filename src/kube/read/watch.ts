// One watch from one version to its end: lines of the stream as changes, in order. An incomplete last line of a cut
// stream is dropped. The caller decides what to do after the end.

import { Field, Problems } from "../../model/reader.ts";
import type { KubeApi } from "../transport/api.ts";
import { Failure, failureOfAnswer, failureOfEvent } from "../transport/failure.ts";
import { parseAnswer } from "../transport/limits.ts";

export type WatchEvent =
  | { readonly type: "present"; readonly version: string; readonly object: unknown }
  | { readonly type: "deleted"; readonly version: string; readonly object: unknown }
  | { readonly type: "bookmark"; readonly version: string };

export interface WatchRequest {
  readonly api: KubeApi;
  readonly path: string;
  readonly version: string;
  readonly timeoutSeconds: number;
  /** The watch is closed after this time without a byte. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** Resolves when the server has accepted; throws a Failure, at once or while the caller reads. */
export async function watch(request: WatchRequest): Promise<AsyncIterable<WatchEvent>> {
  const { api, path, version, timeoutSeconds, idleMs, signal } = request;
  const { lines, ...head } = await api.stream({
    method: "GET",
    path,
    query: {
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: version,
      timeoutSeconds: String(timeoutSeconds),
    },
    idleMs,
    signal,
  });
  if (head.status === 200) return events(lines);
  throw failureOfAnswer({ ...head, body: parseAnswer(await beginning(lines)) ?? null });
}

/** A Status fits into it; the rest of anything else is not needed. */
const statusLength = 64 * 1024;

async function beginning(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) {
    text += line;
    if (text.length > statusLength) break;
  }
  return text;
}

async function* events(lines: AsyncIterable<string>): AsyncGenerator<WatchEvent> {
  for await (const line of lines) yield readEvent(line);
}

function readEvent(line: string): WatchEvent {
  const event = new Field(new Problems(), "", parseAnswer(line));
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
  return new Failure("malformed", "a line of the watch is no event");
}
