// `northgate observe --relay`: standard input and output lead to the reader's socket. What runs in a reader's pod for
// `northgate observe --nodes` elsewhere; it ends with its input, so that nothing is sampled for a watcher that has left.

import { once } from "node:events";
import { connect } from "node:net";
import { printError } from "../print/print-error.ts";

/** The exit code. */
export async function relay(path: string): Promise<number> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
  } catch (error) {
    printError(
      `no reader of this node answers: ${error instanceof Error ? error.message : String(error)}; is northgate observe-node running?`,
    );
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
