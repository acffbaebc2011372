// The requests that the rest of the program may send to an API server: one request with one answer, or a stream of
// events. An answer of any status is an answer; only a missing answer is an error (ApiUnreachable). Every wait is
// bounded.

import type { ObjectShape } from "../protobuf/envelope.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the server: `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON text. */
  readonly body?: unknown;
  /** application/json when there is a body and no other type is given. */
  readonly contentType?: string;
  /** The answer's items are parsed one by one, when they are reached. */
  readonly asList?: true;
  /** The objects may come as protobuf, with these fields alone; absent: they come as JSON. */
  readonly shape?: ObjectShape;
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface ApiResponse extends Answer {
  /** Parsed when it is JSON, otherwise the text; null when it is empty. */
  readonly body: unknown;
  /**
   * Of an answer to `asList` with a list of items, which `body` then shows empty. Throws SyntaxError at one that is not JSON, and
   * MalformedBytes at one that is not protobuf.
   */
  readonly items?: Iterable<unknown>;
}

export interface ApiStream extends Answer {
  /** As of an ApiResponse; null where the stream was accepted with 200. */
  readonly body: unknown;
  /**
   * What each piece of the stream completes, as JSON.parse gives it; undefined for what cannot be parsed. Must be read, or the
   * request's signal aborted: an unread stream holds its connection.
   */
  readonly events: AsyncIterable<readonly unknown[]>;
}

export interface StreamRequest extends ApiRequest {
  /** The stream is closed after this time without a byte: a half-open connection shows no other sign. */
  readonly idleMs: number;
}

export interface KubeApi {
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Resolves with the head of the answer. */
  stream(request: StreamRequest): Promise<ApiStream>;
  /** Requests sent so far, the failed ones too. */
  readonly requests: number;
  /** Ends every connection. */
  close(): void;
}

/** No answer, or not all of it: refused, cut, timed out, aborted, or no usable credentials. */
export class ApiUnreachable extends Error {
  override readonly name = "ApiUnreachable";
}

/** The answer, or a line of it, is longer than is read; the rest of it was not awaited. */
export class ApiOversized extends ApiUnreachable {}

/** Seconds of a Retry-After header as milliseconds; null when there is none. */
export function retryAfterMs(headers: ReadonlyMap<string, string>): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}
