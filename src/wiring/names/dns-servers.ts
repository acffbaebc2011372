// The DNS servers that are asked: those of a setting, or the ready endpoints of a Service, looked up again and again. While they cannot
// be looked up, the last ones stay.

import type { DnsServers } from "../../config/names.ts";
import { dnsServer } from "../../config/names.ts";
import type { KubeApi } from "../../kube/index.ts";
import { failureOf, listEndpoints } from "../../kube/index.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { Repeating } from "../../lib/every.ts";

export interface DnsServersOptions {
  readonly from: DnsServers;
  /** null: there is no API server, and the servers are given. */
  readonly api: KubeApi | null;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives all of them, whenever they are others. */
  readonly found: (servers: readonly string[]) => void;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
}

const lookMs = 10_000;

export class FollowedDnsServers {
  readonly #options: DnsServersOptions;
  readonly #looks: Repeating;
  #known: string | null = null;
  #problem: string | null = null;

  constructor(options: DnsServersOptions) {
    const { clock, fatal } = options;
    this.#options = options;
    this.#looks = new Repeating({ task: (signal) => this.#ask(signal), pauseMs: () => lookMs, clock, fatal });
  }

  /** Why they are not known, or may be others by now; null: they are known. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Ends when they were looked up, or could not be. */
  get looked(): Promise<void> {
    return this.#looks.running;
  }

  start(): void {
    const { from, found } = this.#options;
    if (from.kind === "given") found(from.servers);
    else this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { from, api, logger, found } = this.#options;
    if (from.kind === "given" || api === null) return;
    const service = `${from.namespace}/${from.name}`;
    try {
      const endpoints = await listEndpoints(api, from, "udp", signal);
      const servers = endpoints.map(({ ip, port }) => dnsServer(ip, port));
      this.#problem = servers.length > 0 ? null : `the Service ${service} has no ready endpoint`;
      if (servers.join() === this.#known) return;
      this.#known = servers.join();
      logger.info("the DNS servers that are asked for names", { service, servers });
      found(servers);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      if (signal.aborted) return;
      const isNews = this.#problem === null;
      this.#problem = `the endpoints of the Service ${service} cannot be read: ${failure.message}`;
      if (isNews) logger.warn("the DNS servers cannot be looked up", { service, reason: failure.message });
    }
  }
}
