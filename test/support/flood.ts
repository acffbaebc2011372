// A client that sends requests for metrics without reading an answer, as fast as the connection takes them.

import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const requests = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000);

/** Sends at most `all` bytes until `isServed` and nothing moves any more; returns how many were taken. */
export async function flood(socket: Socket, all: number, isServed: () => Promise<void>): Promise<number> {
  socket.pause();
  let sent = 0;
  const more = () => {
    while (sent < all && socket.write(requests)) sent += requests.length;
  };
  socket.on("drain", more);
  more();
  await isServed();
  for (let before = -1; before < sent;) {
    before = sent;
    await sleep(200);
  }
  return sent;
}
