// The HTTP server of the page. GET and HEAD only; the Host must be an address or localhost, so that a name that leads here by
// someone else's DNS is no way in; a browser is told to load nothing from anywhere else. Answers are made one at a time, each
// followed by a pause in which the rest of the program runs.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { isIP } from "node:net";
import type { Clock } from "../lib/clock.ts";
import { headerBytes, listen } from "../http/server.ts";
import { visibleJson } from "../model/quote.ts";
import { answer } from "./api.ts";
import { pageFiles } from "./page-files.ts";
import { Turns } from "./turns.ts";
import type { ShownWorld } from "./world.ts";

export interface UiServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly world: ShownWorld;
  readonly clock: Clock;
  /** How much longer than an answer took nothing is answered: 9 leaves nine tenths of the time to the program. */
  readonly rest: number;
}

export interface UiServer {
  /** http://host:port */
  readonly address: string;
  close(): Promise<void>;
}

/** Nothing but what this server has, and nobody frames it or is told of it. */
const policyHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "cache-control": "no-store",
} as const;

interface Reply {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type?: string;
  readonly tag?: string;
}

/** Rejects when the address cannot be listened on. */
export async function serveUi({ host, port, world, clock, rest }: UiServerOptions): Promise<UiServer> {
  const files = pageFiles();
  const turns = new Turns(clock, rest);
  const listening = await listen({
    ...{ host, port, clock, scheme: "http" },
    server: createServer({ maxHeaderSize: headerBytes }),
    answer: (request, response) => {
      const refusal = refused(request);
      const url = new URL(request.url ?? "/", "http://localhost");
      const file = files.get(url.pathname);
      if (refusal !== null) send(request, response, refusal);
      else if (file !== undefined) send(request, response, { status: 200, ...file });
      else
        turns.take(
          () => !response.destroyed,
          () => {
            send(request, response, apiReply(world, url));
          },
        );
    },
  });
  return {
    address: listening.address,
    close: () => {
      turns.stop();
      return listening.close();
    },
  };
}

function refused({ method, headers }: IncomingMessage): Reply | null {
  if (method !== "GET" && method !== "HEAD") return { status: 405, body: "GET only\n" };
  if (!isOwnHost(headers.host ?? "")) return { status: 421, body: "this is no name of this server\n" };
  const site = headers["sec-fetch-site"];
  // Following a link to the page is allowed; a foreign page gets no answer out of it, nor makes us work.
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  return isForeign && headers["sec-fetch-mode"] !== "navigate"
    ? { status: 403, body: "for the page itself only\n" }
    : null;
}

/** A name that somebody else's DNS leads here is none of these. Any port: a tunnel may have another. */
function isOwnHost(host: string): boolean {
  const [, v6, name = ""] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::\d{1,5})?$/.exec(host) ?? [];
  return isIP(v6 ?? name) !== 0 || name.toLowerCase() === "localhost";
}

function apiReply(world: ShownWorld, { pathname, searchParams }: URL): Reply {
  try {
    const answered = answer(world, pathname, searchParams);
    if (answered === null) return { status: 404, body: "nothing is here\n" };
    const tag = pathname === "/api/state" && world.live === null ? { tag: `"${world.revision}"` } : {};
    return {
      ...{ status: answered.status, body: visibleJson(JSON.stringify(answered.body)), ...tag },
      type: "application/json; charset=utf-8",
    };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { status: 500, body: visibleJson(JSON.stringify({ error: text })), type: "application/json" };
  }
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { body, tag, type = "text/plain; charset=utf-8" } = reply;
  const isKnown = tag !== undefined && request.headers["if-none-match"] === tag;
  const status = isKnown ? 304 : reply.status;
  response.writeHead(status, {
    ...policyHeaders,
    "content-type": type,
    ...(isKnown ? {} : { "content-length": Buffer.byteLength(body) }),
    ...(tag === undefined ? {} : { etag: tag }),
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    connection: "close",
  });
  response.end(request.method === "HEAD" || isKnown ? undefined : body);
}
