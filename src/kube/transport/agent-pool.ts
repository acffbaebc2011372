// Kept connections, one agent for each set of TLS credentials. A rotated certificate gets a new agent, because a
// connection stays bound to its certificate; streams over the old one may run to their end.

import { createHash } from "node:crypto";
import { Agent as PlainAgent } from "node:http";
import type { RequestOptions } from "node:https";
import { Agent as TlsAgent } from "node:https";

type TlsOptions = Pick<RequestOptions, "ca" | "cert" | "key" | "rejectUnauthorized" | "servername">;

interface Pool {
  readonly fingerprint: string;
  readonly agent: PlainAgent;
}

const keepAlive = { keepAlive: true, keepAliveMsecs: 30_000 };

export class AgentPool {
  #current: Pool | null = null;
  #last: Pool | null = null;

  agentFor(server: URL, options: TlsOptions): PlainAgent {
    const fingerprint = fingerprintOf(server, options);
    if (this.#current?.fingerprint === fingerprint) return this.#current.agent;
    this.#last?.agent.destroy();
    this.#last = this.#current;
    const agent =
      server.protocol === "https:"
        ? new TlsAgent({ ...keepAlive, ...tlsOptionsOf(options) })
        : new PlainAgent(keepAlive);
    this.#current = { fingerprint, agent };
    return agent;
  }

  close(): void {
    this.#last?.agent.destroy();
    this.#current?.agent.destroy();
  }
}

/** The options of a connection; absent ones are left out, because undefined would unset a default. */
function tlsOptionsOf({ ca, cert, key, rejectUnauthorized, servername }: TlsOptions): TlsOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  };
}

/** A hash, so that no key is kept twice in memory. Bytes are written out by JSON. */
function fingerprintOf(server: URL, options: TlsOptions): string {
  return createHash("sha256")
    .update(JSON.stringify([server.host, tlsOptionsOf(options)]))
    .digest("hex");
}
