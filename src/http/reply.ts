// One answer of a server of ours, whole: every answer closes its connection, says how long it is, and has no body where the
// client has it already or asks for the head alone.

import type { IncomingMessage, ServerResponse } from "node:http";

export interface Reply {
  readonly status: number;
  readonly body: string | Buffer;
  /** Plain text where it is absent. */
  readonly type?: string;
  /** For If-None-Match, with its quotes. */
  readonly tag?: string;
  /** Of a redirection. */
  readonly location?: string;
  /** How the body is compressed. */
  readonly encoding?: string;
  /** The headers of the request that the answer depends on. */
  readonly vary?: string;
}

/** `extra`: headers of every answer of the server. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { body, tag, location, encoding, vary, type = "text/plain; charset=utf-8", ...reply }: Reply,
  extra: Readonly<Record<string, string>>,
): void {
  const isKnown = tag !== undefined && request.headers["if-none-match"] === tag;
  const status = isKnown ? 304 : reply.status;
  response.writeHead(status, {
    ...extra,
    "content-type": type,
    ...(isKnown ? {} : { "content-length": Buffer.byteLength(body) }),
    ...(tag === undefined ? {} : { etag: tag }),
    ...(location === undefined ? {} : { location }),
    ...(encoding === undefined || isKnown ? {} : { "content-encoding": encoding }),
    ...(vary === undefined ? {} : { vary }),
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    connection: "close",
  });
  response.end(request.method === "HEAD" || isKnown ? undefined : body);
}
