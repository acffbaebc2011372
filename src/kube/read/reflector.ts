// Keeps one Store equal to the API server: lists, then watches from the list's version, and again from the last version
// seen whenever a watch ends. Lists again only when watches from that version are no longer possible; a list that was
// not read to its end deletes nothing. Failures are reported once, when they begin or change, and retried for ever.

import { Backoff } from "../../lib/backoff.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { KubeApi } from "../transport/api.ts";
import { pause } from "../../lib/deadline.ts";
import type { Failure, FailureKind } from "../transport/failure.ts";
import { failureOf } from "../transport/failure.ts";
import { Contact } from "./contact.ts";
import { Followed } from "./followed.ts";
import { list } from "./list.ts";
import { MissingResource } from "./missing.ts";
import { PageSize } from "./page-size.ts";
import type { RelistReason, ResourceStats } from "./stats.ts";
import { noStats, relistsAfter } from "./stats.ts";
import type { Store } from "./store.ts";
import type { Timing } from "../transport/timing.ts";
import { isOlder } from "./version.ts";
import type { WatchEvent } from "./watch.ts";
import { watch } from "./watch.ts";

export interface ReflectorOptions {
  readonly api: KubeApi;
  readonly resource: string;
  readonly path: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly timing: Timing;
  /** A resource that the server does not serve is an empty one. */
  readonly missingIsEmpty?: boolean;
  /** How many policies of the kind have rows, null: not known now; unless given, a missing resource is waited for. */
  readonly existing?: () => number | null;
  /** The first list is absorbed. Called once. */
  readonly synced: () => void;
  /** The server does not let us read the resource. */
  readonly denied?: () => void;
}

/** Failures that need an operator's action. */
const lasting: ReadonlySet<FailureKind> = new Set<FailureKind>(["forbidden", "unauthorized", "missing"]);
/** Watches in a row that were accepted and delivered nothing, before the version itself is in doubt. */
const patience = 3;

export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #backoff: Backoff;
  readonly #stats = noStats();
  readonly #stopping = new AbortController();
  /** Where the next watch resumes; null: a list is due. */
  #version: string | null = null;
  #synced = false;
  /** Watches in a row that were accepted and delivered nothing. */
  #fruitless = 0;
  #running: Promise<void> = Promise.resolve();
  readonly #pages: PageSize;
  readonly #followed: Followed;
  readonly #missing: MissingResource;
  readonly #contact: Contact;
  /** Ends the wait before the next try. */
  #waking = new AbortController();

  constructor(options: ReflectorOptions) {
    this.#options = options;
    const { api, path, clock, resource, store, logger, existing = () => 1 } = options;
    this.#missing = new MissingResource({ resource, existing, isKnown: () => store.size > 0, logger });
    const { initialBackoffMs, maxBackoffMs, pageSize, probeMs } = options.timing;
    const { signal } = this.#stopping;
    const regained = (): void => {
      this.#waking.abort();
    };
    this.#contact = new Contact({ api, path, clock, probeMs, signal, regained });
    this.#pages = new PageSize(pageSize);
    this.#followed = new Followed(resource, logger);
    this.#backoff = new Backoff({ initialMs: initialBackoffMs, maxMs: maxBackoffMs, random: options.random });
  }

  get synced(): boolean {
    return this.#synced;
  }

  get stats(): ResourceStats {
    return this.#stats;
  }

  /** With the API server, about this resource. */
  get contact(): Pick<Contact, "lastMs" | "currentMs"> {
    return this.#contact;
  }

  /** Why the server does not let us read the resource; null: it does, or the failure is another. */
  get forbidden(): string | null {
    const { failure } = this.#followed;
    return failure?.kind === "forbidden" ? failure.message : null;
  }

  /** Why the resource is not being followed, in one sentence; null while it is. */
  get failure(): string | null {
    return this.#followed.failure?.message ?? null;
  }

  /** The server does not serve the resource. */
  get isMissing(): boolean {
    return this.#followed.failure?.kind === "missing";
  }

  /** Why readiness must wait for this resource; null when it need not. */
  get pending(): string | null {
    const { resource, missingIsEmpty = false } = this.#options;
    if ((missingIsEmpty || this.#missing.isUnused) && this.isMissing && this.#synced) return null;
    const { failure } = this.#followed;
    if (failure !== null && (!this.#synced || lasting.has(failure.kind)))
      return `${resource}: ${failure.message}`;
    return this.#synced ? null : `${resource}: the first list is not absorbed yet`;
  }

  /** Asks again whether a missing resource is waited for. */
  reconsider(): void {
    const { failure } = this.#followed;
    if (failure?.kind !== "missing") return;
    this.#missing.weigh(failure.message);
    if (this.#missing.isUnused) this.#absorbed();
  }

  start(fatal: (error: unknown) => void): void {
    this.#running = Promise.all([this.#run(), this.#contact.watch()]).then(() => undefined, fatal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const wait = await this.#follow();
      this.#waking = new AbortController();
      await pause(this.#options.clock, wait, AbortSignal.any([this.#stopping.signal, this.#waking.signal]));
    }
  }

  /** Runs one list or watch; returns how long to wait before the next one. */
  async #follow(): Promise<number> {
    if (this.#version !== null && this.#fruitless >= patience) this.#relist("stuck");
    try {
      return this.#version === null ? await this.#list() : await this.#watch(this.#version);
    } catch (error) {
      if (this.#stopped) return 0;
      const failure = failureOf(error);
      if (failure === null) throw error;
      return this.#failed(failure);
    }
  }

  async #list(): Promise<number> {
    const { api, path, store } = this.#options;
    const replacement = store.replacement();
    this.#version = await list({
      api,
      path,
      pageSize: this.#pages.objects,
      signal: this.#stopping.signal,
      asked: () => {
        this.#stats.requests++;
      },
      answered: () => {
        this.#contact.answered();
      },
      absorb: (object) => {
        replacement.put(object);
      },
    });
    replacement.complete();
    this.#contact.met();
    this.#stats.lists++;
    this.#pages.complete();
    this.#fruitless = 0;
    this.#absorbed();
    return 0;
  }

  #absorbed(): void {
    if (this.#synced) return;
    this.#synced = true;
    this.#options.synced();
  }

  async #watch(version: string): Promise<number> {
    const { api, path, clock, random, timing } = this.#options;
    const [shortest, longest] = timing.watchSeconds;
    const started = clock.now();
    this.#stats.requests++;
    const events = await watch({
      api,
      path,
      version,
      timeoutSeconds: Math.floor(shortest + (longest - shortest) * random()),
      idleMs: timing.progressMs,
      signal: this.#stopping.signal,
    });
    this.#stats.watches++;
    this.#contact.opened();
    this.#followed.accepted();
    this.#missing.found();
    this.#fruitless++;
    try {
      for await (const event of events) if (this.#stopped || !this.#absorb(event)) return 0;
    } finally {
      this.#contact.ended();
      this.#judge(clock.now() - started);
    }
    return this.#fruitless > 0 ? this.#backoff.next() : 0;
  }

  /**
   * A watch that lasted a while and delivered nothing is no sign of trouble: nothing happened. One that ended at once,
   * or that was silent for longer than the interval of bookmarks, is.
   */
  #judge(lasted: number): void {
    const { shortWatchMs, progressMs } = this.#options.timing;
    if (lasted < shortWatchMs || lasted >= progressMs) return;
    this.#fruitless = 0;
    this.#backoff.reset();
  }

  /** False when the server counts its versions from the start again, so that this version is meaningless to it. */
  #absorb(event: WatchEvent): boolean {
    if (this.#version === null || isOlder(event.version, this.#version)) {
      this.#relist("reset");
      return false;
    }
    const { store } = this.#options;
    this.#contact.met();
    this.#version = event.version;
    this.#fruitless = 0;
    this.#backoff.reset();
    if (event.type === "bookmark") {
      this.#stats.bookmarks++;
      return true;
    }
    this.#stats.events++;
    if (event.type === "present") store.put(event.object);
    else store.remove(event.object);
    return true;
  }

  #failed(failure: Failure): number {
    this.#stats.failures++;
    this.#followed.failed(failure);
    if (failure.kind === "forbidden") this.#options.denied?.();
    this.reconsider();
    if (failure.kind === "missing" && this.#options.missingIsEmpty === true) {
      this.#options.store.replacement().complete();
      this.#absorbed();
    }
    const reason = relistsAfter[failure.kind];
    if (this.#version !== null && reason !== null) this.#relist(reason);
    else if (this.#version === null && failure.kind === "expired") this.#restart();
    else if (failure.kind === "oversized") this.#pages.tooLong();
    return this.#waitAfter(failure);
  }

  #waitAfter({ kind, retryAfterMs }: Failure): number {
    const { timing } = this.#options;
    const wait = this.#backoff.next();
    const asked = Math.min(retryAfterMs ?? 0, timing.maxRetryAfterMs);
    // Adds jitter: the server gave every client the same time.
    if (asked > 0) return asked + wait;
    return kind === "missing" ? Math.min(wait, timing.maxMissingMs) : wait;
  }

  #relist(reason: RelistReason): void {
    this.#version = null;
    this.#fruitless = 0;
    this.#stats.relists[reason]++;
    this.#options.logger.info("a resource is listed again", { resource: this.#options.resource, reason });
  }

  #restart(): void {
    this.#pages.restarted();
    this.#stats.relists.continuation++;
  }
}
