// Messages of dnstap → what is learned of watched names. Never throws, whatever they are: a damaged one is counted.

import { MalformedBytes } from "../../protobuf/wire.ts";
import type { IpAddress } from "../../model/ip.ts";
import type { AnswerSink } from "../answer-sink.ts";
import type { Answered } from "./answered.ts";
import { answered } from "./answered.ts";
import type { MessageFate, TapCounting } from "./counts.ts";
import { readResponse } from "./dns/response.ts";
import { clientResponseOf } from "./tapped.ts";
import type { WatchedNames } from "./watched.ts";

export class TapReader {
  readonly #names: WatchedNames;
  readonly #sink: AnswerSink;
  readonly #counts: TapCounting;

  constructor(names: WatchedNames, sink: AnswerSink, counts: TapCounting) {
    this.#names = names;
    this.#sink = sink;
    this.#counts = counts;
  }

  /** `at`: milliseconds of the Clock, when it was received. */
  read(message: Buffer, source: IpAddress, at: number): MessageFate {
    const fate = this.#fate(message, source, at);
    this.#counts.messages[fate]++;
    return fate;
  }

  #fate(message: Buffer, source: IpAddress, at: number): MessageFate {
    const read = readMessage(message);
    if (typeof read === "string") return read;
    const { family, addresses, outcome } = read;
    const name = this.#watchedName(read);
    if (name === null) return "not watched";
    this.#sink.learn({ name, family, addresses, outcome, at, source });
    return outcome;
  }

  /** Without an address the answer to a question with a search suffix says nothing of the name without it. */
  #watchedName(read: Answered): string | null {
    const name = read.outcome === "answered" ? this.#names.nameOf(read) : read.name;
    return this.#names.watches(name) ? name : null;
  }
}

function readMessage(message: Buffer): Answered | Exclude<MessageFate, Answered["outcome"]> {
  try {
    const response = clientResponseOf(message);
    return response === null ? "no client response" : answered(readResponse(response));
  } catch (error) {
    if (error instanceof MalformedBytes) return "damaged";
    throw error;
  }
}
