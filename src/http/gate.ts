// Who may read what a server of ours shows: a gate is asked at each request. A refusal says to the client what is missing, and
// to the log at most once a minute for each status, so that no client floods it. Neither ever holds a token.

import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { RateLimitedLog } from "../lib/rate-limited-log.ts";
import type { Reply } from "./reply.ts";

/** null: may read. */
export type Refusal = {
  readonly status: 401 | 403 | 503;
  /** For the client. */
  readonly line: string;
  /** For the log, where it says more. */
  readonly reason?: string;
} | null;

export type Gate = (request: IncomingMessage) => Refusal | Promise<Refusal>;

/** The TLS handshake has checked the chain; only an unchecked or a failed one is refused here. */
export const certificateGate: Gate = ({ socket }) => {
  if (socket instanceof TLSSocket && socket.authorized) return null;
  const shown = socket instanceof TLSSocket && Object.keys(socket.getPeerCertificate()).length > 0;
  if (!shown) return { status: 401, line: "a client certificate is needed" };
  // Declared an Error, and in fact its code.
  const code = String(socket.authorizationError);
  return { status: 401, line: `the client certificate is not accepted: ${code}` };
};

const tellAgainMs = 60_000;

/** Answers clients that are refused, and logs them. */
export class Refusals {
  readonly #message: string;
  readonly #logger: Logger;
  readonly #seldom: RateLimitedLog;

  /** `content`: what clients may not read. */
  constructor(content: string, logger: Logger, clock: Clock) {
    this.#message = `a client may not read the ${content}`;
    this.#logger = logger;
    this.#seldom = new RateLimitedLog(clock, tellAgainMs);
  }

  /** The answer to a client that the gate refuses; null: it may read. */
  async of(gate: Gate | null, request: IncomingMessage): Promise<Reply | null> {
    const refusal = gate === null ? null : await gate(request);
    if (refusal === null) return null;
    this.#logRefusal(refusal, request.socket.remoteAddress ?? "");
    return { status: refusal.status, body: `${refusal.line}\n` };
  }

  #logRefusal({ status, line, reason = line }: NonNullable<Refusal>, client: string): void {
    if (this.#seldom.skipped(status) === null) return;
    this.#logger.warn(this.#message, { status, reason, client });
  }
}
