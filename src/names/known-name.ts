// One host name: its addresses with their deadlines, and the last answer of each source. Knows no limits and no other name.

import { ascending } from "../lib/ascending.ts";
import type { HostNameFact } from "../model/facts.ts";
import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Outcome } from "./answer-sink.ts";
import { bestOf } from "./answer-sink.ts";

/** How long a failure keeps what was known, until the next question. */
const failureKeepsMs = 35_000;
/** How long failures keep it at the most. */
const failuresKeepMs = 3_600_000;
/** Sources whose last answers are kept. */
const mostSources = 64;

interface Deadline {
  /** By answers alone. */
  due: number;
  /** By failures too. */
  until: number;
}

interface LastAnswer {
  readonly family: IpFamily;
  readonly outcome: Outcome;
  /** Until when it is as good as asked now. */
  readonly until: number;
}

export class KnownName {
  readonly name: string;
  /** Whether a policy names it. */
  isNamed = false;
  /** Texts of the patterns with a `*` that it matches. */
  patterns: ReadonlySet<string> = new Set();
  /** Whether it ever had an address. */
  wasResolved = false;
  readonly #addresses = new Map<IpAddress, Deadline>();
  readonly #last = new Map<string, LastAnswer>();
  #fact: HostNameFact | null = null;

  constructor(name: string) {
    this.name = name;
  }

  get size(): number {
    return this.#addresses.size;
  }

  get fact(): HostNameFact | null {
    return this.#fact;
  }

  /** Of the last answers, the best; null: there was none. */
  get outcome(): Outcome | null {
    return bestOf(Array.from(this.#last.values(), ({ outcome }) => outcome));
  }

  addresses(): readonly IpAddress[] {
    return [...this.#addresses.keys()];
  }

  /** Returns whether the address is new. */
  admit(ip: IpAddress, due: number): boolean {
    this.wasResolved = true;
    const before = this.#addresses.get(ip);
    this.#addresses.set(ip, {
      due: Math.max(before?.due ?? 0, due),
      until: Math.max(before?.until ?? 0, due),
    });
    return before === undefined;
  }

  drop(ip: IpAddress): void {
    this.#addresses.delete(ip);
  }

  isOver(ip: IpAddress, now: number): boolean {
    return (this.#addresses.get(ip)?.until ?? 0) <= now;
  }

  /** The address that ends first; null: there is none. */
  earliest(): IpAddress | null {
    let first: readonly [IpAddress, number] | null = null;
    for (const [ip, { until }] of this.#addresses)
      if (first === null || until < first[1]) first = [ip, until];
    return first === null ? null : first[0];
  }

  note(source: string, last: LastAnswer): void {
    const key = `${source} ${last.family}`;
    this.#last.delete(key);
    this.#last.set(key, last);
    const [oldest] = this.#last.keys();
    if (this.#last.size > mostSources && oldest !== undefined) this.#last.delete(oldest);
  }

  /** While every source fails, what was known is kept. Returns whether something was. */
  failed(family: IpFamily, at: number): boolean {
    const others = this.#last.values().filter((one) => one.family === family && one.outcome !== "failed");
    if (others.some(({ until }) => until > at)) return false;
    let isKept = false;
    for (const [ip, deadline] of this.#addresses) {
      const until = Math.min(at + failureKeepsMs, deadline.due + failuresKeepMs);
      if (familyOf(ip) !== family || until <= deadline.until) continue;
      deadline.until = until;
      isKept = true;
    }
    return isKept;
  }

  /** Makes the fact of the present addresses. Returns whether it is another. A name that was only asked for in vain has none. */
  renew(): boolean {
    const isAnswered = this.wasResolved || (this.outcome ?? "failed") !== "failed";
    const ips = ascending(this.addresses());
    if (!isAnswered || this.#fact?.ips.join() === ips.join()) return false;
    this.#fact = { kind: "HostName", name: this.name, ips };
    return true;
  }
}
