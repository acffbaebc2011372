// Begins to listen.

import type { Server } from "node:net";
import { invariant } from "../lib/invariant.ts";

/** The port, which a port of 0 leaves open. Rejects when the address cannot be listened on. */
export function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const bound = server.address();
      invariant(bound !== null && typeof bound === "object", "a server on a port has an address");
      resolve(bound.port);
    });
  });
}
