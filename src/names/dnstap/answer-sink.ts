// What is learned of names, and where it goes.

import type { IpAddress, IpFamily } from "../../model/ip.ts";

export interface LearnedAddress {
  readonly ip: IpAddress;
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
  readonly source: IpAddress;
}

export interface AnswerSink {
  learn(answer: LearnedAnswer): void;
  /** The name gave way to others: nothing more is learned of it unless it is answered again. */
  forget(name: string): void;
}
