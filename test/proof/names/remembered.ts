// What a run is meant to remember of answers, in the words of docs/names.md: an address counts until its last answer's TTL and 5 s are
// over, unless DNS fails; a pod or node that gets it takes it away; what no policy names is forgotten; a start keeps what rows hold for two
// minutes. Shares no code with the program, and no limits are reached here.

import type { HostNameFact } from "../../../src/model/facts.ts";
import { hostName } from "../../support/facts.ts";
import type { Answered, Surroundings } from "./answers.ts";
import { leads, plainName } from "./answers.ts";
import { rightReading } from "./written-out.ts";

/** A pattern as a policy has it. */
export interface Pattern {
  readonly text: string;
  readonly matches: (name: string) => boolean;
}

interface Until {
  answered: number;
  kept: number;
}

const [grace, held, kept, keptAtMost] = [5, 120, 35, 3_600];

/** Patterns of the two sorts of peers, from rules that allow. */
export function patternOf(text: string, isText: boolean): Pattern {
  const read = isText ? rightReading.matchesText : rightReading.matches;
  return { text: plainName(text), matches: (name) => read(text, name) };
}

export class Remembered {
  #now = 0;
  #around: Surroundings = { pods: [], nodes: [] };
  #patterns: readonly Pattern[] = [];
  /** By name; what rows held of a pattern has the pattern's text in the place of a name. */
  #names = new Map<string, Map<string, Until>>();

  /** What there is by now: names and their addresses. */
  get answers(): readonly Answered[] {
    return Array.from(this.#names, ([name, addresses]) => ({ name, addresses: [...addresses.keys()] }));
  }

  get facts(): readonly HostNameFact[] {
    return this.answers.map(({ name, addresses }) => hostName(name, ...addresses));
  }

  /** These are in the cluster, and policies have these patterns. */
  meet(around: Surroundings, patterns: readonly Pattern[]): void {
    this.#around = around;
    this.#patterns = patterns;
    for (const name of [...this.#names.keys()]) if (!this.#isAsked(name)) this.#names.delete(name);
  }

  learn(answered: readonly Answered[], ttl: number): void {
    for (const { name, addresses } of answered)
      for (const address of addresses) this.#admit(plainName(name), address, this.#now + ttl + grace);
  }

  /** Nobody answers for the name, of either family. */
  fail(name: string): void {
    for (const until of this.#names.get(plainName(name))?.values() ?? [])
      until.kept = Math.max(until.kept, Math.min(this.#now + kept, until.answered + keptAtMost));
  }

  elapse(seconds: number): void {
    this.#now += seconds;
    for (const [name, addresses] of this.#names)
      for (const [address, until] of [...addresses])
        if (until.kept <= this.#now || !leads(address, name, this.#around)) addresses.delete(address);
  }

  /** Another controller finds the rows: each pattern keeps what its sets hold. */
  restart(): void {
    const before = this.answers;
    this.#names = new Map();
    for (const { text, matches } of this.#patterns) {
      const own = before.filter(({ name }) => matches(name)).flatMap(({ addresses }) => addresses);
      for (const address of own) this.#admit(text, address, this.#now + held);
    }
  }

  #admit(name: string, address: string, end: number): void {
    if (!this.#isAsked(name) || !leads(address, name, this.#around)) return;
    const addresses = this.#names.get(name) ?? new Map<string, Until>();
    this.#names.set(name, addresses);
    const before = addresses.get(address);
    addresses.set(address, {
      answered: Math.max(before?.answered ?? 0, end),
      kept: Math.max(before?.kept ?? 0, end),
    });
  }

  #isAsked(name: string): boolean {
    return this.#patterns.some(({ text, matches }) => text === name || matches(name));
  }
}
