// An HTTP server on an address, for clients that we do not know. Each connection serves one request: what a client sends after
// it is not answered, so a client that does not read costs one answer. Bodies are not read here. Refuses what is not GET or HEAD of
// a path, or POST of one that takes it, before anything else looks at it. Invariants: no request ends the process, an answer that fails is a 500 and a line in
// the log; connections are bounded in number and in time (connections.ts), but for those of answers that go on (stream.ts).

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { RateLimitedLog } from "../lib/rate-limited-log.ts";
import { bind } from "./bind.ts";
import { Connections, connectionMs } from "./connections.ts";
import type { Reply } from "./reply.ts";
import { send } from "./reply.ts";
import type { Stream } from "./stream.ts";
import { beginStream } from "./stream.ts";
import type { Target } from "./target.ts";
import { parseTarget } from "./target.ts";

export type Answer = Reply | Stream;

export interface ListenOptions {
  /** Not listening yet, without a request listener. */
  readonly server: Server;
  readonly scheme: "http" | "https";
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** May throw or reject: it is answered with 500. One that never settles leaves its connection to its end. */
  readonly answer: (request: IncomingMessage, target: Target) => Answer | Promise<Answer>;
  /** Whether the path takes a POST, whose body `answer` reads (body.ts); none unless given. */
  readonly takesPost?: (path: string) => boolean;
  /** Headers of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
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
  const { server, scheme, host, port, clock, logger, opened = () => undefined } = options;
  // `connections` ends whatever takes longer; these end a slow request with an answer 408.
  server.headersTimeout = connectionMs;
  server.requestTimeout = connectionMs;
  const connections = new Connections(server, clock, opened);
  const asked = new WeakSet<Socket>();
  const failures = new Failures(logger, clock);
  server.on("request", (request, response) => {
    if (asked.has(request.socket)) {
      // Not even read: each would take memory until the first answer has been flushed.
      request.socket.pause();
      return;
    }
    asked.add(request.socket);
    void respond(request, response, options, { failures, connections });
  });
  const bound = await bind(server, host, port);
  // Without a listener an accept that fails, for want of file descriptors for one, would end the process.
  server.on("error", (error) => {
    failures.log("a server of this program has failed for a moment", error, scheme);
  });
  return {
    address: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${bound}`,
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

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, takesPost = () => false, headers = {} }: ListenOptions,
  { failures, connections }: { readonly failures: Failures; readonly connections: Connections },
): Promise<void> {
  try {
    const reply = await replyTo(request, answer, takesPost);
    if ("begin" in reply) {
      connections.keep(request.socket);
      beginStream(request, response, reply, headers);
    } else send(request, response, reply, headers);
  } catch (error) {
    failures.log("a request could not be answered", error, request.url ?? "");
    if (response.headersSent) response.destroy();
    else send(request, response, failed, headers);
  }
}

const failed: Reply = {
  ...{ status: 500, type: "application/json; charset=utf-8" },
  body: JSON.stringify({ error: "this request could not be answered; the program's log has the reason" }),
};

function replyTo(
  request: IncomingMessage,
  answer: ListenOptions["answer"],
  takesPost: (path: string) => boolean,
): Answer | Promise<Answer> {
  const target = parseTarget(request.url);
  if (target === null) return { status: 400, body: "the request line must have a path\n" };
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead && !(request.method === "POST" && takesPost(target.path)))
    return { status: 405, body: "GET only\n" };
  return answer(request, target);
}

const tellAgainMs = 60_000;
/** Of a path that a client has chosen. */
const mostLogged = 200;

/** Logs failures at most once a minute each, however many requests cause them. */
class Failures {
  readonly #logger: Logger;
  readonly #seldom: RateLimitedLog;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#seldom = new RateLimitedLog(clock, tellAgainMs);
  }

  log(message: string, error: unknown, about: string): void {
    const others = this.#seldom.skipped(message);
    if (others === null) return;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#logger.error(message, { about: about.slice(0, mostLogged), reason, others });
  }
}
