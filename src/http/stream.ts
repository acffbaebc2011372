// An answer that goes on until one side ends it: its connection leaves the bounds in number and in time of the others
// (connections.ts), so that whoever makes a stream bounds both. A client that does not read what it is sent is cut.

import type { IncomingMessage, ServerResponse } from "node:http";

export interface Stream {
  readonly type: string;
  /** Called once, when the head has been sent. */
  readonly begin: (sink: Sink) => void;
}

export interface Sink {
  /** Sends it; of a client that is behind by more than a bound the connection is closed instead. */
  write(text: string): void;
  end(): void;
  /** Called once, whoever has ended it. */
  onEnd(ended: () => void): void;
}

/** What waits in memory for a client that does not read, beside what the system buffers. */
export const mostUnread = 256 * 1024;

/** `extra`: headers of every answer of the server. */
export function beginStream(
  request: IncomingMessage,
  response: ServerResponse,
  { type, begin }: Stream,
  extra: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, { ...extra, "content-type": type, connection: "close" });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  response.flushHeaders();
  begin({
    write: (text) => {
      if (response.writableLength > mostUnread) response.destroy();
      else response.write(text);
    },
    end: () => response.end(),
    onEnd: (ended) => response.once("close", ended),
  });
}
