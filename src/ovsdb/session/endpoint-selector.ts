// Which members of a cluster a session uses: leaders before followers where that is asked for, and none that is behind
// what was seen of its cluster, because it would set the cache back in time. Both refusals have an end: where no leader
// can be reached a follower is better than nothing, and a cluster whose members all stay behind was restored.

import type { Clock } from "../../lib/clock.ts";

/**
 * `any`: every connected member, which forwards what is written. `first`: the leader; a follower when no remote led for
 * 5 s, and at once when it is the only remote. `only`: the leader.
 */
export type LeaderChoice = "any" | "first" | "only";

export interface EndpointSelectorOptions {
  readonly clock: Clock;
  /** How many remotes the session has. */
  readonly remotes: number;
  readonly leader: LeaderChoice;
  /** Milliseconds after which a cluster that stays behind was restored. */
  readonly behindTimeoutMs: number;
}

/** Longer than an election with the election timer that OVN has by default, 1 s. */
const leaderlessMs = 5_000;

/** A refusal that lasts: when it began, and at which attempt. */
interface Refusal {
  readonly since: number;
  readonly attempt: number;
}

export class EndpointSelector {
  readonly #options: EndpointSelectorOptions;
  // The highest log index seen of each cluster, and the clusters whose members were only found behind it since.
  readonly #seen = new Map<string, number>();
  readonly #behind = new Map<string, Refusal>();
  #leaderless: Refusal | null = null;
  #attempts = 0;
  #passedBy = false;

  constructor(options: EndpointSelectorOptions) {
    this.#options = options;
  }

  /** Call before each attempt to connect. */
  attempt(): void {
    this.#attempts++;
    this.#passedBy = false;
  }

  /** Call when a member is used. */
  used(): void {
    this.#leaderless = null;
  }

  /** Whether the present attempt, or the connection that it opened, ended because another member leads. */
  get passedBy(): boolean {
    return this.#passedBy;
  }

  /** Whether a member that does not lead is used, as of now. */
  get takesFollowers(): boolean {
    const { leader, remotes } = this.#options;
    if (leader !== "first") return leader === "any";
    return remotes === 1 || (this.#leaderless !== null && this.#lasts(this.#leaderless, leaderlessMs));
  }

  /** A member that does not lead was refused. */
  passBy(): void {
    this.#passedBy = true;
    this.#leaderless ??= this.#refusal();
  }

  /**
   * Judges a member by the id of its cluster and the index of its log. A lower index than was seen is that of a stale
   * member, or of a cluster that was restored from a copy of its files. Stale members catch up or lose their
   * connection to the cluster, so the index is believed (`restored`, once) when for the whole of the time limit, and in
   * a whole round of the remotes, no member had what was seen.
   */
  judge(cluster: string, index: number): "level" | "behind" | "restored" {
    if (index >= (this.#seen.get(cluster) ?? 0)) {
      this.#seen.set(cluster, index);
      this.#behind.delete(cluster);
      return "level";
    }
    const refusal = this.#behind.get(cluster);
    if (refusal === undefined) this.#behind.set(cluster, this.#refusal());
    if (refusal === undefined || !this.#lasts(refusal, this.#options.behindTimeoutMs)) return "behind";
    this.#seen.set(cluster, index);
    this.#behind.delete(cluster);
    return "restored";
  }

  #refusal(): Refusal {
    return { since: this.#options.clock.now(), attempt: this.#attempts };
  }

  /** Whether the time is over and every remote was tried meanwhile. */
  #lasts({ since, attempt }: Refusal, ms: number): boolean {
    const { clock, remotes } = this.#options;
    return clock.now() - since >= ms && this.#attempts - attempt >= remotes;
  }
}
