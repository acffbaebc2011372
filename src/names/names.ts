// Names of hosts as a run resolves them: what policies ask for, the questions, the answers, and what sets held at the start. Facts come
// out through a Source, so that the loop reads them as any other. Invariant: nothing is written before what sets held is known again.

import type { Clock, Timer } from "../lib/clock.ts";
import { every } from "../lib/every.ts";
import type { Logger } from "../lib/logger.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import type { FactChange } from "../model/fact-store.ts";
import type { Source } from "../model/object.ts";
import { exactHostName, hostNamePattern } from "../model/selectors/host-names.ts";
import type { GroupKey, HostNameGroup, Policy } from "../policy/ir.ts";
import { peerTerms } from "../policy/normal-form.ts";
import { Answers } from "./answers.ts";
import { Noted } from "./noted.ts";
import type { Ask } from "./poll.ts";
import { Poll } from "./poll.ts";
import type { RefusalOptions } from "./refused.ts";
import { Refusals } from "./refused.ts";
import { NamesSource } from "./source.ts";

/** What is written for names. */
export interface HeldSets {
  /** Whether it can be known and written now. */
  isReadable(): boolean;
  /** What the sets of a group hold. */
  of(group: HostNameGroup): readonly IpAddress[];
}

export interface NamesOptions extends RefusalOptions {
  /** Of objects. */
  readonly source: Source;
  /** As in AnswersOptions. */
  readonly minTtlMs: number;
  readonly ask: Ask;
  /** The groups of names that policies have now. */
  readonly asked: () => ReadonlyMap<GroupKey, HostNameGroup>;
  /** Receives every pattern of them, exact names too, whenever they are others. */
  readonly watched?: (patterns: readonly string[]) => void;
  readonly held: HeldSets;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
}

const tickMs = 1_000;
/** Names that a line shows. */
const shown = 3;

export class Names {
  readonly source: NamesSource;
  readonly answers: Answers;
  readonly noted: Noted;
  readonly #options: NamesOptions;
  readonly #refusals: Refusals;
  readonly #poll: Poll;
  readonly #exact = new Set<string>();
  #groups: ReadonlySet<GroupKey> = new Set();
  #servers: readonly string[] = [];
  #hasAdopted = false;
  #timer: Timer | null = null;

  constructor(options: NamesOptions) {
    const { clock, logger, ask, minTtlMs, fatal } = options;
    this.#options = options;
    this.#refusals = new Refusals(options);
    this.noted = new Noted(clock, logger);
    this.answers = new Answers({
      ...{ clock, minTtlMs, refusals: this.#refusals, noted: this.noted },
      changed: (name) => {
        this.source.changed(name);
      },
    });
    this.source = new NamesSource(options.source, this.answers);
    this.#poll = new Poll({ clock, sink: this.answers, ask, fatal });
  }

  /** The servers that are asked and do not answer. */
  get away(): readonly string[] {
    return this.#poll.away;
  }

  get inFlight(): number {
    return this.#poll.inFlight;
  }

  /** How many names policies have, and how many of them never had an address. */
  get counts(): { readonly asked: number; readonly unresolved: number } {
    return { asked: this.#exact.size, unresolved: this.#unresolved(this.#exact).length };
  }

  start(): void {
    const { clock, fatal } = this.#options;
    const tick = (): void => {
      this.answers.tick();
    };
    this.#timer = every(clock, tickMs, tick, fatal);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#poll.stop();
  }

  /** Asks these from now on, each as `ADDRESS:PORT`. */
  askOf(servers: readonly string[]): void {
    this.#servers = servers;
    this.#poll.follow(this.#exact, servers);
  }

  /** No name leads to these Services from now on. */
  refuseServices(networks: readonly Cidr[]): void {
    this.#refusals.serviceNetworks = networks;
  }

  /** Call it with every change of a fact. */
  follow(change: FactChange): void {
    this.#refusals.follow(change);
  }

  /**
   * Looks at what policies ask for now. Whether what sets hold was adopted just now, so that nothing may be written before it was read.
   * What is held counts as answered for a while: a start changes no set.
   */
  look(): boolean {
    const asked = this.#options.asked();
    if (asked.size !== this.#groups.size || [...asked.keys()].some((key) => !this.#groups.has(key))) {
      this.#groups = new Set(asked.keys());
      this.#want([...asked.values()]);
    }
    return this.#adopt(asked.values());
  }

  /** Why a rule of the policy matches no address yet that it names; null: nothing says so. */
  unresolved(policy: Policy): string | null {
    const names = this.#unresolved(exactNamesOf(policy));
    if (names.length === 0) return null;
    const texts = names.slice(0, shown).map((name) => `${name} (${this.#why(name)})`);
    const rest = names.length - texts.length;
    return `not resolved yet: ${texts.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  }

  #unresolved(names: Iterable<string>): readonly string[] {
    return [...names].filter((name) => !this.answers.state(name).wasResolved);
  }

  #why(name: string): string {
    if (this.#servers.length === 0) return "no DNS server is known";
    switch (this.answers.state(name).outcome) {
      case null:
        return "not answered yet";
      case "no-such-name":
        return "no such name";
      case "no-data":
        return "it has no address";
      case "failed":
        return "DNS does not answer";
      case "answered":
        return "its addresses are refused";
    }
  }

  #want(groups: readonly HostNameGroup[]): void {
    const exact = groups.flatMap(({ names }) => exactHostName(names) ?? []);
    const patterns = groups.filter(({ names }) => exactHostName(names) === null);
    this.#exact.clear();
    for (const name of exact) this.#exact.add(name);
    this.answers.want(
      new Set(exact),
      patterns.map(({ names }) => names),
    );
    this.#poll.follow(this.#exact, this.#servers);
    this.#options.watched?.(groups.map(({ names }) => hostNamePattern(names)));
  }

  /** A pattern's addresses are held under the pattern's own text, which is no name in DNS and which the pattern matches. */
  #adopt(groups: Iterable<HostNameGroup>): boolean {
    const { held } = this.#options;
    const hadAdopted = this.#hasAdopted;
    this.#hasAdopted = held.isReadable();
    if (hadAdopted || !this.#hasAdopted) return false;
    let hasHeld = false;
    for (const group of groups) {
      const ips = held.of(group);
      if (ips.length === 0) continue;
      this.answers.hold(hostNamePattern(group.names), ips);
      hasHeld = true;
    }
    return hasHeld;
  }
}

function exactNamesOf(policy: Policy): ReadonlySet<string> {
  return new Set(groupsOf(policy).flatMap(({ names }) => exactHostName(names) ?? []));
}

/** The patterns with a `*` that the policy names, as texts. */
export function wildcardsOf(policy: Policy): readonly string[] {
  const wildcards = groupsOf(policy).filter(({ names }) => exactHostName(names) === null);
  return [...new Set(wildcards.map(({ names }) => hostNamePattern(names)))];
}

function groupsOf({ rules }: Policy): readonly HostNameGroup[] {
  return rules.egress.flatMap((rule) => peerTerms(rule).flatMap(({ anyOf }) => anyOf.hostNames));
}
