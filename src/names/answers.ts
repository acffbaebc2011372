// What DNS has answered: for each host name the addresses that connections may lead to, each until its deadline. Whoever learns an
// answer, by asking or by listening, calls `learn` (AnswerSink); readers get HostNameFacts. Driven by a Clock, without I/O.

import type { Clock } from "../lib/clock.ts";
import type { HostNameFact } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { canonicalHostName } from "../model/selectors/host-names.ts";
import { hostNameLabels } from "../model/selectable.ts";
import type { Selector } from "../model/selector.ts";
import { selects } from "../model/selector.ts";
import type { AnswerSink, LearnedAnswer, Outcome } from "./answer-sink.ts";
import { BelowPatterns } from "./below-patterns.ts";
import { KnownName } from "./known-name.ts";
import type { Noted } from "./noted.ts";
import type { Refusal, Refusals } from "./refused.ts";
import { learnedAddress } from "./refused.ts";

/** Bounds of what is kept. Beyond them the least recently answered is left out. */
export interface Limits {
  readonly addressesOfName: number;
  readonly namesOfPattern: number;
  readonly addresses: number;
}

export const usualLimits: Limits = { addressesOfName: 256, namesOfPattern: 1_024, addresses: 10_000 };

export interface AnswersOptions {
  readonly clock: Clock;
  /** Milliseconds that each address counts at least. */
  readonly minTtlMs: number;
  readonly refusals: Pick<Refusals, "of" | "taken" | "networkChanges">;
  readonly noted: Noted;
  /** The fact of the name may be another. Must only enqueue. */
  readonly changed: (name: string) => void;
  readonly limits?: Limits;
}

/** What is known of a name that a policy names. */
export interface NameState {
  readonly name: string;
  /** Whether an address was ever answered, or held by the sets of an earlier run. */
  readonly wasResolved: boolean;
  /** Of its last answers, the best; null: there was none. */
  readonly outcome: Outcome | null;
}

/** How long an address counts after its TTL: a client may connect late, and the next answer may come late. */
const graceMs = 5_000;
/** How long an address that sets hold at a start counts. */
const heldMs = 120_000;
/** How long the answer counts that a name has no address. */
const negativeMs = 35_000;
/** Other names in DNS are in no policy. */
const plainName = /^[-0-9a-z_.]{1,253}$/;

export class Answers implements AnswerSink {
  readonly #options: AnswersOptions;
  readonly #limits: Limits;
  /** The least recently answered first. */
  readonly #names = new Map<string, KnownName>();
  readonly #below = new BelowPatterns();
  #exact: ReadonlySet<string> = new Set();
  #patterns: readonly Selector[] = [];
  #total = 0;
  #networkChanges = 0;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#limits = options.limits ?? usualLimits;
  }

  /** How many names and addresses are kept, and how many of the names only patterns ask for. */
  get size(): { readonly names: number; readonly addresses: number; readonly below: number } {
    return { names: this.#names.size, addresses: this.#total, below: this.#below.size };
  }

  /** The names that policies ask for: themselves, and by patterns of more than one. Others are forgotten. */
  want(exact: ReadonlySet<string>, patterns: readonly Selector[]): void {
    this.#exact = exact;
    this.#patterns = patterns;
    this.#below.clear();
    for (const known of [...this.#names.values()])
      if (this.#isAsked(known)) this.#below.touch(known);
      else this.#forget(known);
  }

  learn(answer: LearnedAnswer): void {
    const { at, family, outcome, source, addresses } = answer;
    const known = this.#knownFor(canonicalHostName(answer.name), outcome);
    if (known === null) return;
    const { noted } = this.#options;
    noted.answered(outcome);
    if (outcome === "answered") this.#take(known, answer);
    const ttl = Math.min(...addresses.map((one) => one.ttl));
    const goodMs = outcome === "answered" ? ttl * 1_000 + graceMs : negativeMs;
    known.note(source, { family, outcome, until: at + goodMs });
    if (outcome === "failed" && known.failed(family, at)) noted.kept(known.name);
    this.#publish(known);
  }

  /** What sets hold at a start, for the name or for a pattern that the name matches: it counts for a while. */
  hold(name: string, ips: Iterable<IpAddress>): void {
    const known = this.#names.get(name) ?? this.#newKnown(name);
    if (known === null) return;
    for (const ip of ips) this.#admit(known, ip, this.#options.clock.now() + heldMs);
    this.#publish(known);
  }

  /** Removes what is over its time, and what a node or a pod has by now. */
  tick(): void {
    const { clock, refusals } = this.#options;
    const now = clock.now();
    const isWhole = this.#networkChanges !== refusals.networkChanges;
    this.#networkChanges = refusals.networkChanges;
    for (const known of [...this.#names.values()]) {
      const before = known.size;
      for (const ip of known.addresses()) {
        const isOver = known.isOver(ip, now);
        const refusal = isOver ? null : refusals[isWhole ? "of" : "taken"](ip, known.name);
        if (refusal !== null) this.#refuse(refusal, ip, known);
        if (isOver || refusal !== null) this.#drop(known, ip);
      }
      if (known.size !== before) this.#publish(known);
    }
  }

  /** null: nothing was answered for it. */
  fact(name: string): HostNameFact | null {
    return this.#names.get(name)?.fact ?? null;
  }

  state(name: string): NameState {
    const known = this.#names.get(name);
    return { name, wasResolved: known?.wasResolved ?? false, outcome: known?.outcome ?? null };
  }

  /** null: nobody asks for the name, or it matches a pattern and has no address. */
  #knownFor(name: string, outcome: Outcome): KnownName | null {
    const known = this.#names.get(name);
    if (known === undefined) {
      if (outcome !== "answered" && !this.#exact.has(name)) return null;
      return plainName.test(name) ? this.#newKnown(name) : null;
    }
    this.#names.delete(name);
    this.#names.set(name, known);
    this.#below.touch(known);
    return known;
  }

  #newKnown(name: string): KnownName | null {
    const known = new KnownName(name);
    if (!this.#isAsked(known)) return null;
    if (!known.isNamed) for (const pattern of known.patterns) this.#makeRoomIn(pattern);
    this.#names.set(name, known);
    this.#below.touch(known);
    return known;
  }

  #isAsked(known: KnownName): boolean {
    known.isNamed = this.#exact.has(known.name);
    const labels = hostNameLabels({ kind: "HostName", name: known.name, ips: [] });
    const patterns = this.#patterns.filter((one) => selects(one, labels));
    known.patterns = new Set(patterns.map(({ text }) => text));
    return known.isNamed || patterns.length > 0;
  }

  #take(known: KnownName, { addresses, at }: LearnedAnswer): void {
    for (const { ip: text, ttl } of addresses) {
      const { address, refused } = learnedAddress(text);
      if (refused !== null) this.#refuse(refused, text, known);
      else this.#admit(known, address, at + Math.max(ttl * 1_000, this.#options.minTtlMs) + graceMs);
    }
  }

  #admit(known: KnownName, ip: IpAddress, due: number): void {
    const refusal = this.#options.refusals.of(ip, known.name);
    if (refusal !== null) {
      this.#refuse(refusal, ip, known);
      return;
    }
    if (!known.admit(ip, due)) return;
    this.#total++;
    if (known.size > this.#mostOf(known)) this.#dropEarliest(known, "addresses of a name");
    if (this.#total > this.#limits.addresses) this.#makeRoom(known);
  }

  /** What sets held of a pattern are the addresses of many names. */
  #mostOf({ name }: KnownName): number {
    return name.includes("*") ? this.#limits.addresses : this.#limits.addressesOfName;
  }

  #dropEarliest(known: KnownName, limit: "addresses of a name" | "addresses"): void {
    const ip = known.earliest();
    if (ip !== null) this.#drop(known, ip);
    this.#options.noted.limited(limit, known.name);
  }

  /** The least recently answered name is emptied; where there is no other, the address that ends first is left out. */
  #makeRoom(but: KnownName): void {
    const oldest = this.#names.values().find((one) => one !== but && one.size > 0);
    if (oldest === undefined) this.#dropEarliest(but, "addresses");
    else {
      this.#options.noted.limited("addresses", oldest.name);
      this.#empty(oldest);
    }
  }

  #makeRoomIn(pattern: string): void {
    const oldest = this.#below.givingWay(pattern, this.#limits.namesOfPattern);
    if (oldest === null) return;
    this.#options.noted.limited("names of a pattern", oldest.name);
    this.#empty(oldest);
  }

  #refuse(reason: Refusal, address: string, { name }: KnownName): void {
    this.#options.noted.refused(reason, address, name);
  }

  #drop(known: KnownName, ip: IpAddress): void {
    known.drop(ip);
    this.#total--;
  }

  #empty(known: KnownName): void {
    for (const ip of known.addresses()) this.#drop(known, ip);
    this.#publish(known);
  }

  #forget(known: KnownName): void {
    for (const ip of known.addresses()) this.#drop(known, ip);
    this.#names.delete(known.name);
    this.#below.remove(known);
    if (known.fact !== null) this.#options.changed(known.name);
  }

  /** A name that only matches a pattern is not kept without an address. */
  #publish(known: KnownName): void {
    if (known.size === 0 && !known.isNamed) this.#forget(known);
    else if (known.renew()) this.#options.changed(known.name);
  }
}
