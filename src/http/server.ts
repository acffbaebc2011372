// An HTTP server on an address, in front of whom we do not know. Each connection serves one request: what a client sends after
// it is not answered, so a client that does not read costs one answer. Bodies are not read. Invariant: connections are
// bounded in number and in time (connections.ts).

import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../lib/clock.ts";
import { invariant } from "../lib/invariant.ts";
import { Connections, connectionMs } from "./connections.ts";

/** For `createServer`: room for a bearer token of several kilobytes. */
export const headerBytes = 16_384;

export interface ListenOptions {
  /** Not listening yet, without a request listener. */
  readonly server: Server;
  readonly scheme: "http" | "https";
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Clock;
  readonly answer: RequestListener;
  /** Called before the server looks at a new connection. */
  readonly opened?: () => void;
}

export interface Listening {
  /** scheme://host:port */
  readonly address: string;
  /** Connections that are open now. */
  readonly connections: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Rejects when the address cannot be listened on. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { server, scheme, host, port, clock, answer, opened = () => undefined } = options;
  // `connections` ends whatever takes longer; these end a slow request with an answer 408.
  server.headersTimeout = connectionMs;
  server.requestTimeout = connectionMs;
  const connections = new Connections(server, clock, opened);
  const asked = new WeakSet<Socket>();
  server.on("request", (request, response) => {
    if (asked.has(request.socket)) {
      // Not even read: each would take memory until the first answer has been flushed.
      request.socket.pause();
      return;
    }
    asked.add(request.socket);
    answer(request, response);
  });
  await bind(server, host, port);
  const bound = server.address();
  invariant(bound !== null && typeof bound === "object", "a server on a port has an address");
  return {
    address: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${bound.port}`,
    get connections() {
      return connections.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        connections.closeAll();
      }),
  };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
