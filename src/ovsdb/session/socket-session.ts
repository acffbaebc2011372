// A Session over sockets: connects to one remote after another, checks the server, fills the cache, follows it, and
// starts again whenever the connection ends, until closed. The cache outlives connections; transactions do not.

import type { Socket } from "node:net";
import { pause } from "../../lib/deadline.ts";
import { UntypedCache, type UntypedChange } from "../replica/cache.ts";
import { refusal } from "../notation/codec.ts";
import { Connection } from "../wire/connection.ts";
import type { DatabaseDescription } from "../notation/description.ts";
import { dial } from "../wire/dial.ts";
import { ConnectionLostError, ProtocolError, reasonOf, TransactionError } from "../notation/errors.ts";
import { shakeHands, type UntypedMonitor } from "./handshake.ts";
import { RpcError } from "../wire/jsonrpc.ts";
import { Listeners } from "./listeners.ts";
import { EndpointSelector } from "./endpoint-selector.ts";
import { excerpt } from "../notation/notation.ts";
import { type Operation, type OperationResult, textsIn } from "../notation/operation.ts";
import { type SessionOptions, settle, type Settings } from "./options.ts";
import { Outbox } from "./outbox.ts";
import { FillTimeout } from "./fill-timeout.ts";
import { Readiness, type ReadyLink } from "./readiness.ts";
import { formatRemote, type Remote } from "../wire/remote.ts";
import { Replica } from "../replica/replica.ts";
import { ServerLock } from "./server-lock.ts";
import { ServerStatus, statusMonitor } from "./server-status.ts";
import { ReconnectBackoff } from "./reconnect-backoff.ts";
import type { Cache, RowChange, Session, SessionListener } from "./session.ts";
import { newCounters, type SessionStats } from "../wire/stats.ts";

export class SocketSession<D extends DatabaseDescription> implements Session<D> {
  readonly cache: Cache<D>;
  readonly #database: D;
  readonly #monitors: ReadonlyMap<string, UntypedMonitor>;
  readonly #settings: Settings;
  readonly #replica: Replica;
  readonly #outbox: Outbox;
  #schemaVersion: string | null = null;
  readonly #counters = newCounters();
  readonly #listeners = new Listeners<D>();
  readonly #readiness = new Readiness();
  readonly #lock: ServerLock | null;
  readonly #closing = new AbortController();
  readonly #finished: Promise<void>;
  readonly #members: EndpointSelector;
  readonly #fillTimeout: FillTimeout;

  /** Throws RemoteError. Subscribers of the same turn of the event loop get every call. */
  constructor(options: SessionOptions<D>) {
    this.#database = options.database;
    this.#settings = settle(options);
    // Here, and in the replica's changes, rows get and lose the types of the description; every connection checks its
    // schema against the description before it accepts a row.
    const monitors = options.monitors as Readonly<Record<string, unknown>>;
    this.#monitors = new Map(
      Object.entries(monitors).filter((entry): entry is [string, UntypedMonitor] => {
        return entry[1] !== undefined;
      }),
    );
    const cache = new UntypedCache(
      new Map(Array.from(this.#monitors, ([table, monitor]) => [table, monitor.indexes ?? {}])),
    );
    this.cache = cache as unknown as Cache<D>;
    this.#replica = new Replica(cache, this.#settings.clock, (changes) => {
      this.#changed(changes);
    });
    this.#outbox = new Outbox(this.#settings);
    this.#members = new EndpointSelector({ ...this.#settings, remotes: this.#settings.remotes.length });
    this.#fillTimeout = new FillTimeout(this.#settings);
    const { lock } = this.#settings;
    this.#lock =
      lock === null
        ? null
        : new ServerLock(lock, () => {
            this.#listeners.notify((listener) => listener.lock?.());
          });
    this.#finished = this.#live();
  }

  get ready(): boolean {
    return this.#readiness.link !== null;
  }

  /** Of the database, as its server last said it, "7.3.0"; null: before the first connection. */
  get schemaVersion(): string | null {
    return this.#schemaVersion;
  }

  /** Counters of this session's whole life. */
  get stats(): SessionStats {
    return this.#counters;
  }

  /** Why the last connection or attempt failed; null while ready and before the first attempt has ended. */
  get failure(): Error | null {
    return this.#readiness.failure;
  }

  /**
   * Resolves when the session is ready, at once when it is. Rejects with SchemaMismatchError when the next server does
   * not have what the description names (the session keeps trying), with ConnectionLostError when it is closed.
   */
  opened(): Promise<void> {
    return this.#readiness.opened;
  }

  /**
   * The server that gave us the lock of the options, as long as we hold it: the member's id in its cluster, or
   * `standalone`; null: we do not hold it.
   */
  get lockedAt(): string | null {
    return this.#lock?.held === true ? (this.#readiness.link?.status.member ?? null) : null;
  }

  /** Lets another client have the lock, if one waits for it. */
  unlock(): void {
    this.#lock?.unlock();
  }

  subscribe(listener: SessionListener<D>): () => void {
    return this.#listeners.add(listener);
  }

  async transact(operations: readonly Operation[]): Promise<readonly OperationResult[]> {
    const { link, failure } = this.#readiness;
    if (link === null) throw new ConnectionLostError("not connected", { cause: failure });
    if (operations.length === 0) return [];
    this.#counters.transactions++;
    this.#counters.operations += operations.length;
    const answered = this.#replica.sent(textsIn(operations));
    try {
      const answer = await this.#outbox.transact(link, this.#database.name, operations);
      if (this.#replica.absorbing !== null) {
        await this.#replica.absorbing;
        link.connection.assertOpen();
      }
      return link.codec.decode(operations, answer);
    } catch (error) {
      if (error instanceof ProtocolError) {
        // What is no answer leaves the outcome unknown, as no answer does.
        link.connection.end(error.message);
        throw new ConnectionLostError(error.message, { cause: error });
      }
      const thrown = error instanceof RpcError ? refusal(error.error, null) : error;
      if (thrown instanceof TransactionError) this.#counters.refusals++;
      throw thrown;
    } finally {
      answered();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#finished;
  }

  async #live(): Promise<void> {
    const { remotes, clock, logger } = this.#settings;
    const backoff = new ReconnectBackoff(this.#settings);
    const closed = this.#closing.signal;
    // Lets the code that opened the session subscribe first.
    await Promise.resolve();
    for (let turn = 0; ; turn++) {
      const remote = remotes[turn % remotes.length] ?? remotes[0];
      const readyMs = await this.#stayConnected(remote);
      if (closed.aborted) break;
      const { passedBy } = this.#members;
      const retryMs = backoff.pauseMs(readyMs, passedBy);
      const fields = { remote: formatRemote(remote), reason: reasonOf(this.#readiness.failure), retryMs };
      if (passedBy)
        logger.debug("the database server is skipped: it is not the leader of its cluster", fields);
      else logger.warn("the database connection failed", fields);
      await pause(clock, retryMs, closed);
    }
    this.#readiness.closed();
  }

  /** One connection from beginning to end; returns for how many milliseconds it was ready. */
  async #stayConnected(remote: Remote): Promise<number> {
    const { tls, connectTimeoutMs, probeIntervalMs, clock, logger } = this.#settings;
    const { signal } = this.#closing;
    this.#members.attempt();
    const status = this.#statusOf(remote);
    let connection: Connection | null = null;
    let readyAt: number | null = null;
    const close = () => connection?.end("the session was closed");
    signal.addEventListener("abort", close);
    this.#counters.attempts++;
    try {
      const socket = await dial(remote, { tls, timeoutMs: connectTimeoutMs, clock, signal });
      connection = this.#connect(remote, socket, status);
      const { codec, schemaVersion, resumed } = await shakeHands(connection, {
        database: this.#database,
        monitors: this.#monitors,
        status,
        replica: this.#replica,
        fillTimeout: this.#fillTimeout,
      });
      signal.throwIfAborted();
      readyAt = clock.now();
      this.#schemaVersion = schemaVersion;
      connection.watch(probeIntervalMs);
      logger.info("the database cache is filled", { remote: formatRemote(remote), schemaVersion, resumed });
      this.#becomeReady({ connection, codec, status });
      this.#lock?.request(connection);
      await connection.ended;
    } catch (error) {
      connection?.end(reasonOf(error));
      this.#fail(error instanceof Error ? error : new Error(reasonOf(error)));
    } finally {
      signal.removeEventListener("abort", close);
    }
    return readyAt === null ? 0 : clock.now() - readyAt;
  }

  #statusOf(remote: Remote): ServerStatus {
    return new ServerStatus({
      database: this.#database.name,
      members: this.#members,
      restored: (cluster, index) => {
        const fields = { remote: formatRemote(remote), cluster, index };
        this.#settings.logger.warn(
          "the database cluster was restored from a backup: all rows are read again",
          fields,
        );
        this.#replica.forget();
      },
    });
  }

  #connect(remote: Remote, socket: Socket, status: ServerStatus): Connection {
    return new Connection(socket, {
      clock: this.#settings.clock,
      counters: this.#counters,
      maxMessageBytes: this.#settings.maxMessageBytes,
      notified: (method, params, length) => {
        this.#notified(status, method, params, length);
      },
      crowded: () => this.#replica.crowded,
      ended: (reason) => {
        this.#fail(new ConnectionLostError(`${formatRemote(remote)}: ${reason}`));
      },
    });
  }

  /** Throws when the connection must end. */
  #notified(status: ServerStatus, method: string, params: unknown, length: number): void {
    if (!Array.isArray(params))
      throw new ProtocolError(`expected params of ${method} and got ${excerpt(params)}`);
    const [monitor, ...rest] = params as readonly unknown[];
    if (method === "locked" || method === "stolen") {
      this.#lock?.notified(method, monitor);
      return;
    }
    if (method === "monitor_canceled") throw new ConnectionLostError("the server cancelled the monitor");
    if (monitor === statusMonitor) {
      const unusable = status.take(rest[0]);
      if (unusable !== null) throw new ConnectionLostError(unusable);
    } else if (method === "update3") {
      this.#replica.update(rest[1], typeof rest[0] === "string" ? rest[0] : null, length);
    } else {
      this.#replica.update(rest[0], null, length);
    }
  }

  #changed(changes: readonly UntypedChange[]): void {
    this.#counters.updates++;
    this.#counters.rowChanges += changes.length;
    const typed = changes as unknown as readonly RowChange<D>[];
    this.#listeners.notify((listener) => listener.changed?.(typed));
  }

  #becomeReady(link: ReadyLink): void {
    this.#members.used();
    this.#fillTimeout.filled();
    this.#counters.fills++;
    this.#readiness.filled(link);
    this.#listeners.notify((listener) => listener.ready?.());
  }

  #fail(error: Error): void {
    this.#lock?.lost();
    const isNews = this.#readiness.failed(error);
    // A caller that closes the session needs no `lost` call.
    if (isNews && !this.#closing.signal.aborted)
      this.#listeners.notify((listener) => listener.lost?.(error.message));
  }
}
