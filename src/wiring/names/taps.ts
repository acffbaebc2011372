// What DNS servers send of their answers (dnstap): the listener, the nudge that has them send soon, and which of the servers are away. Only
// the instance that writes keeps connections: a server has one, which leads to whichever instance takes it.

import type { TapsConfig } from "../../config/names.ts";
import { serverParts } from "../../config/names.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { excerptOf } from "../../lib/text/few.ts";
import type { IpAddress } from "../../model/ip.ts";
import { parseIp } from "../../model/ip.ts";
import type { AnswerSink } from "../../names/answer-sink.ts";
import type { SearchSuffixes, TapListener } from "../../names/dnstap/index.ts";
import { listenForTaps, Nudge, searchSuffixes, WatchedNames } from "../../names/dnstap/index.ts";

export interface TapsOptions extends TapsConfig {
  readonly clusterDomain: string;
  readonly sink: AnswerSink;
  /** Whether this instance writes. */
  readonly leads: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
}

/** CoreDNS connects again within ten seconds. */
const awayMs = 15_000;
const shown = 3;

export class Taps {
  readonly #options: TapsOptions;
  readonly #watched = new WatchedNames();
  readonly #search: SearchSuffixes;
  readonly #nudge: Nudge;
  /** By address, since when it is one of the servers. */
  #servers: ReadonlyMap<IpAddress, number> = new Map();
  #listener: TapListener | null = null;
  #leadsSince: number | null = null;

  constructor(options: TapsOptions) {
    this.#options = options;
    const { clusterDomain, search, clock, random, fatal } = options;
    this.#search = searchSuffixes(clusterDomain, search);
    this.#nudge = new Nudge({
      ...{ name: `kubernetes.default.svc.${clusterDomain}`, clock, random, fatal },
      isTapped: (host) => this.#isTapped(host),
      isWanted: () => this.#watched.hasWildcards && this.#isOpen(),
    });
  }

  /** null: it does not listen yet. */
  get listener(): TapListener | null {
    return this.#listener;
  }

  /** Rejects when the address cannot be listened on, or when a file of the certificate cannot be used. */
  async open(): Promise<void> {
    const { host, port, tls, sink, clock, logger, fatal } = this.#options;
    this.#listener = await listenForTaps({
      ...{ host, port, tls, sink, clock, logger, fatal, names: this.#watched },
      isOpen: () => this.#isOpen(),
      isServer: (address) => this.#servers.has(address),
    });
    logger.info("DNS servers may send what they answer", {
      ...{ host, port: this.#listener.port, search: this.#search.texts.join(",") },
    });
  }

  /** Names and wildcards of policies. */
  watch(patterns: readonly string[]): void {
    this.#watched.watch({ patterns, search: this.#search });
  }

  /** Each as `ADDRESS:PORT`. */
  follow(servers: readonly string[]): void {
    const now = this.#options.clock.now();
    const found = servers.map(serverParts);
    this.#servers = new Map(found.map(({ host }) => [host, this.#servers.get(host) ?? now]));
    this.#nudge.watch(found);
  }

  /** The servers that have sent nothing for a while, because they have no connection. None on standby, and none without a wildcard. */
  get away(): readonly IpAddress[] {
    const listener = this.#listener;
    if (listener === null || !this.#watched.hasWildcards || !this.#isOpen()) return [];
    const now = this.#options.clock.now();
    return [...this.#servers].flatMap(([address, knownSince]) => {
      const { connections, awaySince } = listener.source(address);
      const since = Math.max(awaySince ?? knownSince, this.#leadsSince ?? now);
      return connections === 0 && now - since >= awayMs ? [address] : [];
    });
  }

  /** Why names below the wildcards are not learned, or not all; null: they are. */
  missing(wildcards: readonly string[]): string | null {
    if (wildcards.length === 0) return null;
    const away = this.away;
    if (away.length === 0) return null;
    return `not all names of ${fewOf(wildcards)} are learned: no dnstap from ${fewOf(away)}`;
  }

  async stop(): Promise<void> {
    this.#nudge.close();
    await this.#listener?.close();
  }

  #isTapped(host: string): boolean {
    const address = parseIp(host);
    return address !== null && (this.#listener?.source(address).connections ?? 0) > 0;
  }

  #isOpen(): boolean {
    const leads = this.#options.leads();
    if (!leads) this.#leadsSince = null;
    else this.#leadsSince ??= this.#options.clock.now();
    return leads;
  }
}

function fewOf(texts: readonly string[]): string {
  return excerptOf(texts.length, texts.slice(0, shown));
}
