// Who may read /metrics: a gate is asked at each scrape. A refusal says to the client what is missing, and to the log at most
// once a minute for each status, so that nobody floods it. Neither ever holds a token.

import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";

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

/** Logs refusals. */
export class Refusals {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #toldAt = new Map<number, number>();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  tell({ status, line, reason = line }: NonNullable<Refusal>, client: string): void {
    const now = this.#clock.now();
    const last = this.#toldAt.get(status);
    if (last !== undefined && now - last < tellAgainMs) return;
    this.#toldAt.set(status, now);
    this.#logger.warn("a client may not read the metrics", { status, reason, client });
  }
}
