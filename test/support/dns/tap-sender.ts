// A sender of dnstap on a real connection, as CoreDNS is one, for tests; and a listener for it.

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Logger } from "../../../src/lib/logger.ts";
import type { AnswerSink, LearnedAnswer } from "../../../src/names/answer-sink.ts";
import { controlFrame } from "../../../src/names/dnstap/stream/control-frame.ts";
import { dnstapType } from "../../../src/names/dnstap/stream/tap-stream.ts";
import { searchSuffixes } from "../../../src/names/dnstap/search-suffixes.ts";
import type { TapListener, TapListenerOptions } from "../../../src/names/dnstap/tap-listener.ts";
import { listenForTaps } from "../../../src/names/dnstap/tap-listener.ts";
import { WatchedNames } from "../../../src/names/dnstap/watched.ts";
import type { WrittenRecord } from "./message.ts";
import { plainResponse, writeMessage } from "./message.ts";
import { dataFrame, messageTypes, tapMessage } from "./tap.ts";

export const ready = controlFrame({ type: "ready", contentTypes: [dnstapType] });
export const start = controlFrame({ type: "start", contentTypes: [dnstapType] });
export const stop = controlFrame({ type: "stop", contentTypes: [] });

/** The frame of a response with addresses of 192.0.2.0/24. */
export function answerFrame(name: string, ...last: readonly number[]): Buffer {
  return responseFrame(name, addressesOf(name, last));
}

/** The same through an alias of the name. */
export function aliasedFrame(name: string, alias: string, ...last: readonly number[]): Buffer {
  return responseFrame(name, [{ owner: name, type: 5, ttl: 30, data: alias }, ...addressesOf(alias, last)]);
}

function addressesOf(owner: string, last: readonly number[]): readonly WrittenRecord[] {
  return last.map((byte) => ({ owner, type: 1, ttl: 30, data: Buffer.of(192, 0, 2, byte) }));
}

function responseFrame(name: string, answers: readonly WrittenRecord[]): Buffer {
  const message = { flags: plainResponse, question: { name, type: 1 }, answers, compressed: true };
  return dataFrame(tapMessage(messageTypes.clientResponse, writeMessage(message)));
}

/** What was learned, in order. */
export class Learned implements AnswerSink {
  readonly answers: LearnedAnswer[] = [];

  learn(answer: LearnedAnswer): void {
    this.answers.push(answer);
  }

  /** `name address …` of each. */
  get texts(): readonly string[] {
    return this.answers.map(({ name, addresses }) => [name, ...addresses.map(({ ip }) => ip)].join(" "));
  }
}

export interface Listening {
  readonly listener: TapListener;
  readonly learned: Learned;
  readonly names: WatchedNames;
}

/** Takes connections from 127.0.0.1 only, and watches every name below example.org, unless the options say otherwise. */
export async function listening(
  options: Partial<TapListenerOptions> & { readonly clock: Clock; readonly logger: Logger },
): Promise<Listening> {
  const [learned, names] = [new Learned(), new WatchedNames()];
  names.watch({ patterns: ["*.example.org"], search: searchSuffixes("cluster.local", []) });
  const fatal = (error: unknown) => {
    throw error;
  };
  const isServer = (ip: string) => ip === "127.0.0.1";
  const defaults = {
    host: "127.0.0.1",
    port: 0,
    tls: null,
    isOpen: () => true,
    isServer,
    names,
    sink: learned,
    fatal,
  };
  return { listener: await listenForTaps({ ...defaults, ...options }), learned, names };
}

/** A connection to the listener. `localAddress`: any of 127.0.0.0/8, or ::1. */
export async function connected({ port }: TapListener, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ host: localAddress === "::1" ? "::1" : "127.0.0.1", port, localAddress });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Everything until the other end closes. */
export async function receivedOf(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  await ended(socket);
  return Buffer.concat(pieces);
}

/** By either end, with an error or without. */
export function ended(socket: Socket): Promise<void> {
  // The end comes behind what was not read.
  socket.resume();
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else
      socket.once("close", () => {
        resolve();
      });
  });
}
