// Connections by the DNS server that they come from: which are taken, how many, and when a server last sent something. Refuses a connection
// from any other address. At the limit of a server its oldest connection gives way, so that a server that was cut off can return; at the
// limit of all none does, so that one server cannot shut out another.

import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import type { LogFields, Logger } from "../../lib/logger.ts";
import { RateLimitedLog } from "../../lib/rate-limited-log.ts";
import type { IpAddress } from "../../model/ip.ts";
import { parseIp } from "../../model/ip.ts";
import { printable } from "../../model/quote.ts";
import { Allowance } from "./allowance.ts";
import type { TapCounting, TapEnd, TapRefusal } from "./counts.ts";
import { TapConnection } from "./tap-connection.ts";
import type { TapReader } from "./tap-reader.ts";

/** CoreDNS has a connection for each `dnstap` line of each server block, and for a moment twice as many when it reloads. */
export const mostOfServer = 8;
export const mostConnections = 256;
const warnAgainMs = 60_000;

/** What is known of a DNS server. Times are milliseconds of the Clock; null: never. */
export interface SourceState {
  readonly connections: number;
  /** When it last sent whole messages. */
  readonly lastMessageAt: number | null;
  /** Since when it has no connection; null while it has one, and when it never had one. */
  readonly awaySince: number | null;
}

interface Entry {
  /** The address and the port of the other end. */
  readonly key: string;
  readonly source: IpAddress;
  readonly socket: Socket;
  /** null: its handshake of TLS is not complete. */
  connection: TapConnection | null;
}

export interface TapSourcesOptions {
  readonly isOpen: () => boolean;
  readonly isServer: (address: IpAddress) => boolean;
  readonly reader: TapReader;
  readonly counts: TapCounting;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class TapSources {
  readonly #options: TapSourcesOptions;
  readonly #seldom: RateLimitedLog;
  /** By their keys, the oldest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #seen = new Map<IpAddress, { lastMessageAt: number | null; awaySince: number | null }>();
  readonly #allowances = new Map<IpAddress, Allowance>();

  constructor(options: TapSourcesOptions) {
    this.#options = options;
    this.#seldom = new RateLimitedLog(options.clock, warnAgainMs);
  }

  get connections(): number {
    return this.#entries.size;
  }

  stateOf(address: IpAddress): SourceState {
    const seen = this.#seen.get(address) ?? { lastMessageAt: null, awaySince: null };
    return { connections: this.#of(address).length, ...seen };
  }

  /** Whether the connection is taken; else it is ended. Nothing of it has been read. */
  admit(socket: Socket): boolean {
    const source = parseIp(socket.remoteAddress ?? "");
    if (source === null || !this.#options.isServer(source))
      return this.#refuse(socket, "not a DNS server", source);
    const [oldest, ...others] = this.#of(source);
    if (oldest !== undefined && others.length + 1 >= mostOfServer) this.#end(oldest, "replaced");
    if (this.#entries.size >= mostConnections) return this.#refuse(socket, "too many connections", source);
    const entry: Entry = { key: keyOf(socket), source, socket, connection: null };
    this.#entries.set(entry.key, entry);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#forget(entry);
    });
    this.#options.counts.taken++;
    return true;
  }

  /** `socket`: one that was admitted, or its TLS. */
  take(socket: Socket): void {
    const entry = this.#entries.get(keyOf(socket));
    if (entry === undefined) {
      socket.destroy();
      return;
    }
    const { clock, counts, isServer } = this.#options;
    const { source } = entry;
    const seen = this.#seen.get(source);
    this.#seen.set(source, { lastMessageAt: seen?.lastMessageAt ?? null, awaySince: null });
    const allowance = this.#allowances.get(source) ?? new Allowance();
    this.#allowances.set(source, allowance);
    entry.connection = new TapConnection({
      ...{ socket, source, clock, allowance },
      isServer: () => isServer(source),
      received: (messages, bytes, at) => {
        this.#receive(source, messages, bytes, at);
      },
      slowed: () => {
        counts.slowed++;
        this.warn("a DNS server sends more than is read of it", { server: source });
      },
      ended: (why) => {
        counts.ended[why]++;
        this.#report(source, why);
      },
    });
  }

  /** To be called again and again. */
  check(): void {
    if (!this.#options.isOpen()) this.#endOnStandby();
    for (const { connection } of this.#entries.values()) connection?.check();
    for (const source of this.#allowances.keys())
      if (!this.#options.isServer(source)) {
        this.#seen.delete(source);
        this.#allowances.delete(source);
      }
  }

  close(): void {
    for (const entry of this.#entries.values()) this.#end(entry, "closed here");
  }

  /** Once a minute for each message. */
  warn(message: string, fields: LogFields): void {
    const others = this.#seldom.skipped(message);
    if (others !== null) this.#options.logger.warn(message, { ...fields, others });
  }

  /**
   * CoreDNS connects again at once where a connection ends that was in use, and reaches another instance. Where a handshake fails it waits for a
   * second without a single answer, which a busy server never has: so no handshake is refused.
   */
  #endOnStandby(): void {
    for (const entry of this.#entries.values())
      if (entry.connection?.hasStarted === true) this.#end(entry, "on standby");
  }

  #of(source: IpAddress): readonly Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.source === source);
  }

  #end(entry: Entry, why: TapEnd): void {
    this.#forget(entry);
    if (entry.connection === null) entry.socket.destroy();
    else entry.connection.end(why);
  }

  #refuse(socket: Socket, why: TapRefusal, source: IpAddress | null): false {
    this.#options.counts.refused[why]++;
    this.warn("a connection to the names listener was refused", {
      ...{ from: source ?? printable(socket.remoteAddress ?? "an address that is gone"), reason: why },
    });
    socket.on("error", () => undefined);
    socket.destroy();
    return false;
  }

  #receive(source: IpAddress, messages: readonly Buffer[], bytes: number, at: number): void {
    const { counts, reader, isOpen } = this.#options;
    counts.bytes += bytes;
    if (!isOpen()) return;
    for (const message of messages)
      if (reader.read(message, source, at) === "damaged")
        this.warn("a DNS server has sent a damaged message", { server: source });
    if (messages.length > 0) this.#seen.set(source, { lastMessageAt: at, awaySince: null });
  }

  #report(source: IpAddress, why: TapEnd): void {
    const isUsual =
      why === "finished" || why === "closed by the sender" || why === "closed here" || why === "on standby";
    if (!isUsual) this.warn("a connection of a DNS server has ended", { server: source, reason: why });
  }

  #forget({ key, source, socket }: Entry): void {
    if (this.#entries.get(key)?.socket !== socket) return;
    this.#entries.delete(key);
    const seen = this.#seen.get(source);
    if (seen !== undefined && this.#of(source).length === 0) seen.awaySince = this.#options.clock.now();
  }
}

function keyOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
