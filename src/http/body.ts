// The body of a request, whole and bounded. Refuses more than that as soon as it is known, and keeps nothing of it.

import type { IncomingMessage } from "node:http";

/** null: it is larger than `most` bytes, or the client has ended before it. */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > most) return Promise.resolve(null);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    request.on("data", (part: Buffer) => {
      length += part.length;
      if (length <= most) parts.push(part);
      else {
        request.pause();
        parts.length = 0;
        resolve(null);
      }
    });
    request.once("end", () => {
      resolve(Buffer.concat(parts));
    });
    request.once("close", () => {
      resolve(null);
    });
  });
}
