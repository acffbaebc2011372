// What is learned of names, and where it goes.

import type { IpFamily } from "../../model/ip.ts";

export interface LearnedAddress {
  /** In the canonical form, or IPv4 that is mapped into IPv6, `::ffff:192.0.2.1`, which is no address of a connection. */
  readonly ip: string;
  /** For how many seconds the answer holds: the least of the record's own and of the aliases that lead to it. */
  readonly ttl: number;
}

/** Of a question for the addresses of one family. */
export type Outcome = "answered" | "no-data" | "no-such-name" | "failed";

export interface LearnedAnswer {
  /** In lower case, without the final dot, and without a search suffix. */
  readonly name: string;
  /** Which addresses were asked for. An answer says nothing of those of the other family. */
  readonly family: IpFamily;
  /** Empty unless the outcome is "answered". */
  readonly addresses: readonly LearnedAddress[];
  readonly outcome: Outcome;
  /** Milliseconds of the Clock, when the message was received. */
  readonly at: number;
  /** The address of the server that sent it. */
  readonly source: string;
}

export interface AnswerSink {
  learn(answer: LearnedAnswer): void;
}
