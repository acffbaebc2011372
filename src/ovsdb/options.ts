// The options of a session, and their defaults.

import { type Clock, type Random, systemClock } from "../lib/clock.ts";
import { type Logger, silentLogger } from "../lib/logger.ts";
import type { DatabaseDescription } from "./description.ts";
import type { TlsFiles } from "./dial.ts";
import { parseRemotes, type Remote } from "./remote.ts";
import type { Monitors } from "./session.ts";

export interface SessionOptions<D extends DatabaseDescription> {
  /** `unix:PATH`, `tcp:HOST:PORT`, `ssl:HOST:PORT` or a comma-separated list of them, tried in turn. */
  readonly remotes: string;
  readonly database: D;
  readonly monitors: Monitors<D>;
  /** Needed for ssl: remotes. */
  readonly tls?: TlsFiles;
  /** Use only the leader of a cluster; default false: any connected member, which forwards what is written. */
  readonly leaderOnly?: boolean;
  /** The name of a lock to ask each server for (RFC 7047 section 4.1.8); see `lockedAt`. None unless given. */
  readonly lock?: string;
  /** Milliseconds for one attempt to connect; default 5000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds the server may be silent while it prepares the first dump; default 60000. */
  readonly fillTimeoutMs?: number;
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
  readonly leaderOnly: boolean;
  readonly lock: string | null;
  readonly connectTimeoutMs: number;
  readonly fillTimeoutMs: number;
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
    leaderOnly: false,
    lock: null,
    connectTimeoutMs: 5_000,
    fillTimeoutMs: 60_000,
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
