// Questions to DNS servers, with Node's resolver (c-ares): no cache, no search list, no hosts file; TCP where an answer is truncated.
// A chain of CNAMEs counts as one answer, with its least TTL.

import { Resolver } from "node:dns/promises";
import type { IpFamily } from "../model/ip.ts";
import type { Asked } from "./poll.ts";
import { codeOf } from "../lib/error-code.ts";

const options = { timeout: 500, tries: 2 };

/** Of a server that answered: it, or one that it asked, could not say. */
const answeredErrors = new Set(["EFORMERR", "ESERVFAIL", "ENOTIMP", "EREFUSED", "EBADRESP"]);

export class Resolvers {
  readonly #byServer = new Map<string, Resolver>();

  /** `server`: `ADDRESS:PORT`, of IPv6 `[ADDRESS]:PORT`. */
  async ask(server: string, name: string, family: IpFamily): Promise<Asked> {
    const resolver = this.#of(server);
    try {
      const records =
        family === "v4"
          ? await resolver.resolve4(name, { ttl: true })
          : await resolver.resolve6(name, { ttl: true });
      const addresses = records.map(({ address, ttl }) => ({ ip: address, ttl }));
      return { outcome: addresses.length > 0 ? "answered" : "no-data", addresses, isReached: true };
    } catch (error) {
      return { ...failureOf(error), addresses: [] };
    }
  }

  /** Keeps those of these servers. */
  keepOnly(servers: readonly string[]): void {
    for (const [server, resolver] of this.#byServer)
      if (!servers.includes(server)) {
        resolver.cancel();
        this.#byServer.delete(server);
      }
  }

  #of(server: string): Resolver {
    const known = this.#byServer.get(server);
    if (known !== undefined) return known;
    const resolver = new Resolver(options);
    resolver.setServers([server]);
    this.#byServer.set(server, resolver);
    return resolver;
  }
}

function failureOf(error: unknown): Pick<Asked, "outcome" | "isReached"> {
  const code = codeOf(error);
  if (code === "ENODATA") return { outcome: "no-data", isReached: true };
  if (code === "ENOTFOUND") return { outcome: "no-such-name", isReached: true };
  return { outcome: "failed", isReached: answeredErrors.has(code) };
}
