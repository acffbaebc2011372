// Keeps one Store equal to the API server: lists, then watches from the list's version, and again from the last version
// seen whenever a watch ends. Lists again only when watches from that version are no longer possible; a list that was
// not read to its end deletes nothing. Failures are reported once, when they begin or change, and retried for ever.

import { Backoff } from "../../lib/backoff.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { apiVersionOf } from "../../model/object.ts";
import type { KubeApi } from "../transport/api.ts";
import { pause } from "../../lib/deadline.ts";
import type { Failure, FailureKind } from "../transport/failure.ts";
import { failureOf } from "../transport/failure.ts";
import { Contact } from "./contact.ts";
import { Followed } from "./followed.ts";
import { FruitlessWatches } from "./fruitless-watches.ts";
import { list } from "./list.ts";
import { MissingResource } from "./missing.ts";
import { PageSize } from "./page-size.ts";
import type { ServedAs } from "./served-as.ts";
import type { RelistReason, ResourceStats } from "./stats.ts";
import { noStats, relistsAfter } from "./stats.ts";
import type { Replacement, Store } from "./store.ts";
import type { Timing } from "../transport/timing.ts";
import { isOlder } from "./version.ts";
import type { WatchEvent } from "./watch.ts";
import { watch } from "./watch.ts";

export interface ReflectorOptions {
  readonly api: KubeApi;
  readonly resource: string;
  /** Where the resource is served. */
  readonly served: ServedAs;
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

export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #backoff: Backoff;
  readonly #stats = noStats();
  readonly #stopping = new AbortController();
  /** Where the next watch resumes; null: a list is due. */
  #version: string | null = null;
  #synced = false;
  readonly #fruitless: FruitlessWatches;
  #running: Promise<void> = Promise.resolve();
  readonly #pages: PageSize;
  readonly #followed: Followed;
  readonly #missing: MissingResource;
  readonly #contact: Contact;
  /** Ends the wait before the next try. */
  #waking = new AbortController();

  constructor(options: ReflectorOptions) {
    this.#options = options;
    const { api, served, clock, resource, store, logger, existing = () => 1 } = options;
    this.#missing = new MissingResource({ resource, existing, isKnown: () => store.size > 0, logger });
    const { initialBackoffMs, maxBackoffMs, pageSize, probeMs } = options.timing;
    const { signal } = this.#stopping;
    const regained = (): void => {
      this.#waking.abort();
    };
    this.#contact = new Contact({ api, path: () => served.path, clock, probeMs, signal, regained });
    this.#pages = new PageSize(pageSize);
    this.#followed = new Followed(resource, logger);
    this.#fruitless = new FruitlessWatches(options.timing);
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
    if (this.#version !== null && this.#fruitless.isTooMany) this.#relist("stuck");
    try {
      return this.#version === null ? await this.#list() : await this.#watch(this.#version);
    } catch (error) {
      if (this.#stopped) return 0;
      const failure = failureOf(error);
      if (failure === null) throw error;
      return this.#isServedElsewhere(failure) ? 0 : this.#failed(failure);
    }
  }

  async #list(): Promise<number> {
    const { api, served, store } = this.#options;
    const replacement = store.replacement();
    this.#version = await list({
      ...{ api, ...served.asked, pageSize: this.#pages.objects, signal: this.#stopping.signal },
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
    this.#complete(replacement);
    this.#contact.met();
    this.#stats.lists++;
    this.#pages.complete();
    this.#fruitless.reset();
    this.#absorbed();
    return 0;
  }

  /** A list under another group than the last one says nothing of what only the other had. */
  #complete(replacement: Replacement): void {
    const { served, resource, logger } = this.#options;
    const from = served.listed();
    if (from === null) {
      replacement.complete();
      return;
    }
    const kept = replacement.completeElsewhere();
    const fields = { resource, from: apiVersionOf(from), to: apiVersionOf(served.kind), kept };
    logger.info("a resource is read under another API group, which serves it now", fields);
  }

  /** Whether another group may serve what this one does not. */
  #isServedElsewhere({ kind }: Failure): boolean {
    const { served } = this.#options;
    const isMoved = kind === "missing" ? served.missed() : kind === "forbidden" && served.restart();
    if (isMoved && this.#version !== null) this.#relist("refused");
    return isMoved && kind === "missing";
  }

  #absorbed(): void {
    if (this.#synced) return;
    this.#synced = true;
    this.#options.synced();
  }

  async #watch(version: string): Promise<number> {
    const { api, served, clock, random, timing } = this.#options;
    const [shortest, longest] = timing.watchSeconds;
    const started = clock.now();
    this.#stats.requests++;
    const events = await watch({
      ...{ api, ...served.asked, version, signal: this.#stopping.signal },
      timeoutSeconds: Math.floor(shortest + (longest - shortest) * random()),
      idleMs: timing.progressMs,
    });
    this.#stats.watches++;
    this.#contact.opened();
    this.#followed.accepted();
    this.#missing.found();
    served.found();
    this.#fruitless.opened();
    try {
      for await (const event of events) if (this.#stopped || !this.#absorb(event)) return 0;
    } finally {
      this.#contact.ended();
      if (this.#fruitless.isQuiet(clock.now() - started)) this.#delivered();
    }
    return this.#fruitless.isAny ? this.#backoff.next() : 0;
  }

  #delivered(): void {
    this.#fruitless.reset();
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
    this.#delivered();
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
    else if (this.#version === null && failure.kind === "expired") {
      this.#pages.restarted();
      this.#stats.relists.continuation++;
    } else if (failure.kind === "oversized") this.#pages.tooLong();
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
    this.#fruitless.reset();
    this.#stats.relists[reason]++;
    this.#options.logger.info("a resource is listed again", { resource: this.#options.resource, reason });
  }
}
