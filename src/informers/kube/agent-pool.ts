// Kept connections, one agent for each set of TLS credentials. A rotated certificate gets a new agent, because a connection
// speaks for the certificate it was made with; streams over the last one may come to their own end.

import { createHash } from "node:crypto";
import type { RequestOptions } from "node:http";
import { Agent as PlainAgent } from "node:http";
import type { RequestOptions as TlsRequestOptions } from "node:https";
import { Agent as TlsAgent } from "node:https";

interface Pool {
  readonly fingerprint: string;
  readonly agent: PlainAgent;
}

const keepAlive = { keepAlive: true, keepAliveMsecs: 30_000 };

export class AgentPool {
  #current: Pool | null = null;
  #last: Pool | null = null;

  agentFor(server: URL, options: TlsRequestOptions): PlainAgent {
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

function tlsOptionsOf({ ca, cert, key, rejectUnauthorized, servername }: TlsRequestOptions) {
  return Object.fromEntries(
    Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

/** A hash, so that no key is kept twice in memory. */
function fingerprintOf(server: URL, options: TlsRequestOptions): string {
  const parts = Object.entries(tlsOptionsOf(options)).map(([name, value]) => `${name}=${String(value)}`);
  return createHash("sha256")
    .update(JSON.stringify([server.host, ...parts]))
    .digest("hex");
}
