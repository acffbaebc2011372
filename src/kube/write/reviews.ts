// Whether a bearer token may get a path of ours: the API server says whose the token is (TokenReview) and whether that user
// may (SubjectAccessReview), as for any controller's metrics. Answers are remembered for a while by a hash, never by the token.
// Refuses to pester the server: unknown tokens beyond a rate are not reviewed.

import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../lib/clock.ts";
import { printable } from "../../model/quote.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOf } from "../transport/failure.ts";
import { review } from "./review.ts";

export type AccessVerdict =
  | { readonly kind: "allowed" }
  /** The token is not valid, or no longer valid. */
  | { readonly kind: "unknown" }
  | { readonly kind: "forbidden"; readonly user: string }
  /** Nobody could say. */
  | { readonly kind: "unavailable"; readonly reason: string };

export interface AccessReviewsOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** Not of a resource: `/metrics`. */
  readonly path: string;
}

/** How long an answer is believed: a token that is taken away is good for a minute, a right that is given counts soon. */
export const believedMs = { allowed: 60_000, unknown: 10_000, forbidden: 10_000, unavailable: 0 } as const;
/** Tokens that may, and as many others. */
const mostRemembered = 256;
export const mostReviewsPerSecond = 20;

interface Remembered {
  readonly verdict: Promise<AccessVerdict>;
  /** While the review is under way: never. */
  until: number;
}

export class AccessReviews {
  readonly #options: AccessReviewsOptions;
  /** Kept apart, so that invented tokens do not evict valid ones. */
  readonly #allowed = new LRUCache<string, Remembered>({ max: mostRemembered });
  readonly #others = new LRUCache<string, Remembered>({ max: mostRemembered });
  #second = { begun: 0, reviews: 0 };

  constructor(options: AccessReviewsOptions) {
    this.#options = options;
  }

  /** Never rejects but for a bug. */
  mayGet(token: string): Promise<AccessVerdict> {
    const key = createHash("sha256").update(token).digest("base64");
    const { clock } = this.#options;
    const allowed = this.#allowed.get(key);
    const known = allowed ?? this.#others.get(key);
    if (known !== undefined && clock.now() < known.until) return known.verdict;
    if (allowed === undefined && !this.#mayAsk()) {
      const reason = `more than ${mostReviewsPerSecond} unknown tokens a second`;
      return Promise.resolve({ kind: "unavailable", reason });
    }
    const fresh: Remembered = { verdict: this.#review(token), until: Infinity };
    // Requests with the same token wait for the same review.
    (allowed === undefined ? this.#others : this.#allowed).set(key, fresh);
    fresh.verdict.then(
      ({ kind }) => {
        fresh.until = clock.now() + believedMs[kind];
        if (kind === "allowed") this.#allowed.set(key, fresh);
        else if (kind !== "unavailable") this.#allowed.delete(key);
      },
      () => {
        fresh.until = clock.now();
      },
    );
    return fresh.verdict;
  }

  #mayAsk(): boolean {
    const now = this.#options.clock.now();
    if (now - this.#second.begun >= 1000) this.#second = { begun: now, reviews: 0 };
    return ++this.#second.reviews <= mostReviewsPerSecond;
  }

  async #review(token: string): Promise<AccessVerdict> {
    try {
      const said = await review(this.#options.api, "authentication.k8s.io", "TokenReview", { token });
      if (said.at("authenticated").raw !== true) return { kind: "unknown" };
      const user = said.at("user");
      const name = user.at("username").raw;
      if (typeof name !== "string" || name === "") return { kind: "unknown" };
      const access = await review(this.#options.api, "authorization.k8s.io", "SubjectAccessReview", {
        user: name,
        uid: user.at("uid").raw,
        groups: user.at("groups").raw,
        extra: user.at("extra").raw,
        nonResourceAttributes: { path: this.#options.path, verb: "get" },
      });
      const mayGet = access.at("allowed").raw === true;
      return mayGet ? { kind: "allowed" } : { kind: "forbidden", user: printable(name) };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      return { kind: "unavailable", reason: failure.message };
    }
  }
}
