// What is learned of names, and where it goes.
//
// The contract of a source of answers: it calls `learn` once for each response to a question of type A or AAAA, with the name of the
// question, and with the addresses that the response's own chain of CNAMEs leads to. A truncated response is none. Addresses are
// texts, as the response has them: the store of answers parses them, strictly, and refuses those that are never taken. A source need
// not know which names policies ask for: others are left out.

import type { IpFamily } from "../model/ip.ts";

/**
 * `answered`: NOERROR with an address; `no-data`: NOERROR without one; `no-such-name`: NXDOMAIN; `failed`: SERVFAIL and every other
 * error, and no response at all. The better ones first.
 */
export const outcomes = ["answered", "no-data", "no-such-name", "failed"] as const;
export type Outcome = (typeof outcomes)[number];

/** null: there is none. */
export function bestOf(some: readonly Outcome[]): Outcome | null {
  return outcomes.find((one) => some.includes(one)) ?? null;
}

export interface LearnedAddress {
  /** As the response has it: any text. IPv4 that is mapped into IPv6 is `::ffff:192.0.2.1`, which is no address of a connection. */
  readonly ip: string;
  /** For how many seconds the answer holds: the least of the record's own and of the aliases that lead to it. */
  readonly ttl: number;
}

/** Of a question for the addresses of one family. */
export interface LearnedAnswer {
  /** Of the question, in any case, with a final dot or without, and without a search suffix. */
  readonly name: string;
  /** Which addresses were asked for, A or AAAA. An answer says nothing of those of the other family. */
  readonly family: IpFamily;
  readonly outcome: Outcome;
  /** None unless `answered`. */
  readonly addresses: readonly LearnedAddress[];
  /** When it came, in milliseconds of the Clock. */
  readonly at: number;
  /** Who answered: `ADDRESS:PORT` or the address of a DNS server, or another text that stays the same. */
  readonly source: string;
}

export interface AnswerSink {
  learn(answer: LearnedAnswer): void;
}
