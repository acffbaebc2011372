// Receives IPFIX on a UDP port of the loopback address, where this machine's programs alone can send. How much is read in a second
// is bounded: what comes above that is dropped unread, and counted. Each sender has templates of its own, so that none can give
// those of another a second meaning.

import type { Socket } from "node:dgram";
import { createSocket } from "node:dgram";
import type { Clock } from "../../lib/clock.ts";
import type { ParseCounts } from "./parser.ts";
import { IpfixParser, noCounts } from "./parser.ts";
import type { IpfixRecord } from "./records.ts";

/** Datagrams of one second that are read. Open vSwitch sends one for each record; one with more records counts as so many. */
export const mostInSecond = 10_000;
/** One with more bytes counts as several. */
const usualBytes = 1_024;
/** Senders whose templates are kept; the one longest silent gives way. */
export const mostSenders = 8;
const loopback = "127.0.0.1";
/** Of the kernel, for the time in which the event loop does something else. */
const bufferBytes = 4 * 2 ** 20;

export interface ReceiverCounts extends ParseCounts {
  /** Datagrams that were dropped unread, because too many came in a second. */
  unread: number;
}

export class IpfixReceiver {
  readonly counts: ReceiverCounts = { ...noCounts(), unread: 0 };
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #senders = new Map<string, IpfixParser>();
  readonly #received: (record: IpfixRecord) => void;
  #second = 0;
  #inSecond = 0;

  private constructor(clock: Clock, received: (record: IpfixRecord) => void) {
    this.#clock = clock;
    this.#received = received;
    this.#socket = createSocket({ type: "udp4", recvBufferSize: bufferBytes });
    this.#socket.on("message", (message, { address, port }) => {
      if (this.#mayRead()) this.#read(`${address}:${port}`, message);
      else this.counts.unread++;
    });
  }

  /** `port` 0: any that is free. Rejects with an Error of one sentence. */
  static async open(
    port: number,
    clock: Clock,
    received: (record: IpfixRecord) => void,
  ): Promise<IpfixReceiver> {
    const receiver = new IpfixReceiver(clock, received);
    const socket = receiver.#socket;
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(port, loopback, () => {
        socket.off("error", reject);
        // An error of a later datagram is no reason to end.
        socket.on("error", () => undefined);
        resolve();
      });
    });
    return receiver;
  }

  /** HOST:PORT, as Open vSwitch takes the target of IPFIX. */
  get target(): string {
    return `${loopback}:${this.#socket.address().port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.close(() => {
        resolve();
      });
    });
  }

  #mayRead(): boolean {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) this.#inSecond = 0;
    this.#second = second;
    return ++this.#inSecond <= mostInSecond;
  }

  #read(sender: string, message: Buffer): void {
    const parser = this.#senders.get(sender) ?? new IpfixParser(this.counts);
    // The last in the order of the map is the one that has sent last.
    this.#senders.delete(sender);
    this.#senders.set(sender, parser);
    const [oldest] = this.#senders.keys();
    if (this.#senders.size > mostSenders && oldest !== undefined) this.#senders.delete(oldest);
    const records = parser.read(message);
    this.#inSecond += Math.max(records.length, Math.ceil(message.length / usualBytes), 1) - 1;
    for (const record of records) this.#received(record);
  }
}
