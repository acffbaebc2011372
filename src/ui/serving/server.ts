// The HTTP server of the page. GET and HEAD only, but for a text that is compared; the Host must be an address, localhost or a name that is allowed, so that a name
// that another site's DNS points here is refused; a browser is told to load nothing from other sites. Answers are made one
// at a time, each followed by a pause in which the rest of the program runs.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { CertificateFiles, ServerName } from "../../http/certificate.ts";
import type { Gate } from "../../http/gate.ts";
import { Refusals } from "../../http/gate.ts";
import { readBody } from "../../http/body.ts";
import { Compressor } from "../../http/compress.ts";
import type { Reply } from "../../http/reply.ts";
import { listen } from "../../http/server.ts";
import type { Stream } from "../../http/stream.ts";
import { openTransport } from "../../http/transport.ts";
import { Answers, jsonReply } from "./answers.ts";
import { Comparisons, mostTextBytes } from "../comparisons.ts";
import { Events } from "./events.ts";
import { pageFiles } from "./page-files.ts";
import { rehearse } from "./rehearsing.ts";
import { Throttle } from "./throttle.ts";
import { rehearsed } from "../rehearsal.ts";
import type { ShownWorld } from "../world.ts";

export interface UiServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** "" or a path such as "/northgate": every path of the page is under it. */
  readonly basePath: string;
  /** In lower case: names that are allowed in Host, beside addresses and localhost. */
  readonly hosts: readonly string[];
  /** null: plain HTTP. */
  readonly tls: CertificateFiles | null;
  /** null: everyone may read. */
  readonly gate: Gate | null;
  readonly world: ShownWorld;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How much longer than an answer took nothing is answered: 9 leaves nine tenths of the time to the program. */
  readonly rest: number;
}

export interface UiServer {
  /** scheme://host:port, and with a base path that path and a slash. */
  readonly address: string;
  /** Asks itself questions of every kind about what is there now; settles when all are answered, and never when it is closed before. */
  rehearse(): Promise<void>;
  close(): Promise<void>;
}

const pageServer: ServerName = { server: "page's server", content: "page", flags: "--ui" };
const nothing: Reply = { status: 404, body: "nothing is here\n" };

/** Only what this server has; no other site may frame it or learns of it. */
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

/** Rejects when the address cannot be listened on. */
export async function serveUi(options: UiServerOptions): Promise<UiServer> {
  const { host, port, basePath, tls, gate, world, clock, logger, rest } = options;
  const files = pageFiles();
  const refusals = new Refusals(pageServer.content, logger, clock);
  const turns = new Throttle(clock, rest);
  const answers = new Answers(world, randomUUID());
  const events = new Events(clock, () => answers.now());
  const compressor = new Compressor();
  const comparisons = new Comparisons(world);
  const comparePath = `${basePath}/api/compare`;
  const listening = await listen({
    ...{ ...openTransport(tls, pageServer, logger), host, port, clock, logger, headers: policyHeaders },
    takesPost: (path) => path === comparePath,
    answer: async (request, { path: whole, query }) => {
      const refusal = refused(request, whole, options) ?? (await refusals.of(gate, request));
      if (refusal !== null) return refusal;
      if (request.method === "POST") return posted(request, comparisons);
      if (whole === basePath) return { status: 308, body: "", location: `${basePath}/` };
      if (!whole.startsWith(`${basePath}/`)) return nothing;
      const path = whole.slice(basePath.length);
      const { socket, headers } = request;
      const file = files.get(path);
      const answered = (): Stream | Reply => {
        if (path === "/api/events") return events.answer();
        const known = headers["if-none-match"] ?? "";
        return comparisons.of(path, query) ?? answers.of({ path, query }, known) ?? nothing;
      };
      const reply =
        file === undefined
          ? await turns.take(socket.remoteAddress ?? "", () => !socket.destroyed, answered)
          : { status: 200, ...file };
      return "begin" in reply ? reply : compressor.of(reply, headers["accept-encoding"] ?? "");
    },
  });
  return {
    address: basePath === "" ? listening.address : `${listening.address}${basePath}/`,
    rehearse: () =>
      rehearse({
        ...{ address: listening.address, turns, questions: () => rehearsed(world) },
        answer: (target) => answers.of(target, ""),
        compress: (reply) => compressor.of(reply, "br"),
      }),
    close: () => {
      turns.stop();
      events.stop();
      return listening.close();
    },
  };
}

function refused(
  { headers }: IncomingMessage,
  path: string,
  { hosts, basePath }: UiServerOptions,
): Reply | null {
  if (!isOwnHost(headers.host ?? "", hosts)) return { status: 421, body: "this is no name of this server\n" };
  const site = headers["sec-fetch-site"];
  // Following a link to the page is allowed; a foreign page gets no answer out of it, nor makes us work: it can navigate a frame.
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  const isLink = headers["sec-fetch-mode"] === "navigate" && !path.startsWith(`${basePath}/api/`);
  return isForeign && !isLink ? { status: 403, body: "for the page itself only\n" } : null;
}

/** A text that is compared. No form of another page can send this type, and no script of one without our leave. */
async function posted(request: IncomingMessage, comparisons: Comparisons): Promise<Reply> {
  const { origin, host, "content-type": type } = request.headers;
  if (origin !== undefined && origin.replace(/^https?:\/\//, "") !== host)
    return { status: 403, body: "for the page itself only\n" };
  if (type !== "application/yaml")
    return jsonReply(415, { error: "Content-Type: application/yaml is needed" });
  const body = await readBody(request, mostTextBytes);
  if (body === null) return jsonReply(413, { error: `the text is longer than ${mostTextBytes >> 20} MiB` });
  return comparisons.begin(body.toString());
}

/** A name that another site's DNS points here is none of these. Any port: a tunnel may have another. */
function isOwnHost(host: string, allowed: readonly string[]): boolean {
  const [, v6, name = ""] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::\d{1,5})?$/.exec(host) ?? [];
  return isIP(v6 ?? name) !== 0 || ["localhost", ...allowed].includes(name.toLowerCase());
}
