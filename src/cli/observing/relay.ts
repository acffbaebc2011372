// `northgate observe --relay`: standard input and output lead to the reader's socket. What runs in a reader's pod for
// `northgate observe --nodes` elsewhere; it ends with its input, so that nothing is sampled for a watcher that has left.

import { once } from "node:events";
import type { Socket } from "node:net";
import { connected } from "../../observe/watching/client.ts";
import { printError } from "../print/print-error.ts";

/** The exit code. */
export async function relay(path: string): Promise<number> {
  let socket: Socket;
  try {
    socket = await connected(path);
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return 1;
  }
  const end = (): void => {
    socket.destroy();
  };
  socket.on("error", end);
  process.stdout.once("error", end);
  process.stdin.once("error", end).pipe(socket);
  socket.pipe(process.stdout, { end: false });
  await once(socket, "close");
  process.stdin.destroy();
  return 0;
}
