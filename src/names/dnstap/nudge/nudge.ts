// Bounds how long an answer waits in a DNS server before dnstap brings it. CoreDNS sends what it has when 4 KiB are full, or when a second
// passes without another message; so each server is asked a long question of no interest, again and again. Asks nothing while that is
// not wanted.

import type { Clock, Random, Timer } from "../../../lib/clock.ts";
import { every } from "../../../lib/every.ts";
import type { DnsServer, NudgeCounts } from "./nudged-server.ts";
import { NudgedServer } from "./nudged-server.ts";
import { nudgeQuery } from "./nudge-query.ts";

/** An answer waits no longer, beside the time that a question takes. */
export const nudgeMs = 50;
/**
 * Of a server that has no connection of dnstap. CoreDNS makes one when a message cannot be sent, or, where it never had one, after a
 * second without a message: questions each 50 ms would keep it from that for good.
 */
export const awayEveryMs = 2_500;

export interface NudgeOptions {
  /** A name that each server answers by itself, from its own zones. */
  readonly name: string;
  /** Whether answers are waited for: a wildcard is watched. */
  readonly isWanted: () => boolean;
  /** Whether the server has a connection of dnstap. */
  readonly isTapped: (host: string) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Of a bug of ours. */
  readonly fatal: (error: unknown) => void;
  readonly everyMs?: number;
}

export class Nudge {
  readonly #options: NudgeOptions;
  readonly #query: Buffer;
  readonly #timer: Timer;
  #servers: ReadonlyMap<string, NudgedServer> = new Map();
  #turns = 0;

  /** Throws RangeError when the name is none. */
  constructor(options: NudgeOptions) {
    this.#options = options;
    this.#query = nudgeQuery(options.name);
    const { clock, everyMs = nudgeMs, fatal } = options;
    this.#timer = every(
      clock,
      everyMs,
      () => {
        this.#turn();
      },
      fatal,
    );
  }

  /** Those that are nudged from now on. */
  watch(servers: Iterable<DnsServer>): void {
    const before = this.#servers;
    const { clock, random } = this.#options;
    const made = Array.from(servers, (one) => {
      const key = `${one.host} ${one.port}`;
      return [key, before.get(key) ?? new NudgedServer(one, this.#query, clock, random)] as const;
    });
    this.#servers = new Map(made);
    for (const [key, server] of before) if (!this.#servers.has(key)) server.close();
  }

  /** Of a server that is nudged; null: it is none. */
  countsOf({ host, port }: DnsServer): NudgeCounts | null {
    return this.#servers.get(`${host} ${port}`)?.counts ?? null;
  }

  close(): void {
    this.#timer.cancel();
    for (const server of this.#servers.values()) server.close();
  }

  #turn(): void {
    const { isWanted, isTapped, everyMs = nudgeMs } = this.#options;
    const isNow = isWanted();
    const isTurnOfAway = this.#turns++ % Math.ceil(awayEveryMs / everyMs) === 0;
    for (const [key, server] of this.#servers) {
      const [host = ""] = key.split(" ");
      if (!isNow) server.close();
      else if (isTurnOfAway || isTapped(host)) server.nudge();
    }
  }
}
