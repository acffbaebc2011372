// The options of a session, and their defaults.

import { type Clock, type Random, systemClock } from "../../lib/clock.ts";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import type { DatabaseDescription } from "../notation/description.ts";
import type { TlsFiles } from "../wire/dial.ts";
import type { LeaderChoice } from "./endpoint-selector.ts";
import { parseRemotes, type Remote } from "../wire/remote.ts";
import type { Monitors } from "./session.ts";

export interface SessionOptions<D extends DatabaseDescription> {
  /** `unix:PATH`, `tcp:HOST:PORT`, `ssl:HOST:PORT` or a comma-separated list of them, tried in turn. */
  readonly remotes: string;
  readonly database: D;
  readonly monitors: Monitors<D>;
  /** Needed for ssl: remotes. */
  readonly tls?: TlsFiles;
  /** Which members of a cluster are used; default `any`. */
  readonly leader?: LeaderChoice;
  /**
   * Milliseconds for which every member of a cluster must stay behind what was seen of it until it is taken for one that
   * was restored from a backup; default 30000.
   */
  readonly behindTimeoutMs?: number;
  /** The name of a lock to ask each server for (RFC 7047 section 4.1.8); see `lockedAt`. None unless given. */
  readonly lock?: string;
  /** Milliseconds for one attempt to connect; default 5000. */
  readonly connectTimeoutMs?: number;
  /**
   * Milliseconds for which the only remote may leave a request before the fill unanswered: it may prepare a large dump.
   * A message that grows counts as an answer. Default 60000, 0: for ever.
   */
  readonly fillTimeoutMs?: number;
  /**
   * Milliseconds for which a server may leave a transaction unanswered, beside the time that its `wait` operations ask
   * for and 1 ms for each KiB; and, where there is another remote, a request before the fill. Default 15000, 0: for
   * ever.
   */
  readonly answerTimeoutMs?: number;
  /**
   * Milliseconds of silence before an echo is sent, and again before the connection is closed; default 5000, 0: never.
   */
  readonly probeIntervalMs?: number;
  /** The longest message accepted, in bytes; default 500 MiB, just below the longest string V8 can hold. */
  readonly maxMessageBytes?: number;
  /** Milliseconds between rounds of attempts, doubling; default 100 to 10000, the upper half of each drawn at random. */
  readonly retry?: { readonly initialMs: number; readonly maxMs: number };
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
}

export interface Settings {
  readonly remotes: readonly [Remote, ...Remote[]];
  readonly tls: TlsFiles | null;
  readonly leader: LeaderChoice;
  readonly behindTimeoutMs: number;
  readonly lock: string | null;
  readonly connectTimeoutMs: number;
  readonly fillTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly probeIntervalMs: number;
  readonly maxMessageBytes: number;
  readonly retry: { readonly initialMs: number; readonly maxMs: number };
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Throws RemoteError for remotes that cannot be parsed. */
export function settle<D extends DatabaseDescription>(options: SessionOptions<D>): Settings {
  return {
    tls: null,
    leader: "any",
    behindTimeoutMs: 30_000,
    lock: null,
    connectTimeoutMs: 5_000,
    fillTimeoutMs: 60_000,
    answerTimeoutMs: 15_000,
    probeIntervalMs: 5_000,
    maxMessageBytes: 500 * 2 ** 20,
    retry: { initialMs: 100, maxMs: 10_000 },
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    ...options,
    remotes: parseRemotes(options.remotes),
  };
}
