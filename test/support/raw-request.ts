// Bytes sent to a port as they are, and all that comes back until the server closes.

import { connect } from "node:net";

export function rawRequest(address: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
    });
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
    });
    // A reset is an end, too: what the server thinks of the request is in the text, or nowhere.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      resolve(text);
    });
  });
}
