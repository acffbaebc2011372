// Every port of a chassis on the dummy datapath as a stream of frames: sends a batch and says which frame came out where,
// without waiting for time to pass. The switch counts the frames that it has read from a port and written to it; it is one
// thread and takes a frame through its whole pipeline before it answers a question. So when it has read all that was
// sent and this end has read all that it wrote, a frame that has not come out never will. Refuses to guess: counts that do
// not come to match are an error.

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chassis } from "../../tools/sandbox/chassis.ts";
import { identityOf } from "./frames.ts";
import { patience } from "../support/patience.ts";

export interface Sending {
  readonly port: string;
  readonly frame: Buffer;
}

/** By identity, the ports at which a frame came out. */
export type Deliveries = ReadonlyMap<string, readonly string[]>;

/** A dummy interface holds 100 frames each way, and loses what is more. */
const framesInFlight = 90;
const pollMs = 2;
const patienceMs = patience(20_000);
/** Of a type that is for experiments (IEEE 802), to an address that nobody has: it ends in its first switch. */
const hello = Buffer.from("02000000000102000000000288b5", "hex");

class Stream {
  readonly path: string;
  /** Frames written to the switch and read from it. */
  written = 0;
  read = 0;
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string, socket: Socket, received: (frame: Buffer) => void) {
    this.path = path;
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      for (; rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0);) {
        const end = 2 + rest.readUInt16BE(0);
        this.read++;
        received(rest.subarray(2, end));
        rest = rest.subarray(end);
      }
      this.#rest = rest;
    });
    // The counts do not match then, and that is told.
    socket.on("error", () => this.#socket.destroy());
  }

  write(frame: Buffer): void {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(frame.length);
    this.#socket.write(Buffer.concat([length, frame]));
    this.written++;
  }

  close(): void {
    this.#socket.destroy();
  }
}

export class Wire {
  readonly #chassis: Chassis;
  readonly #streams = new Map<string, Stream>();
  #arrived = new Map<string, string[]>();

  constructor(chassis: Chassis) {
    this.#chassis = chassis;
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  /** Plugs and unplugs until exactly these ports are on the wire. */
  async connect(ports: ReadonlySet<string>): Promise<void> {
    const gone = [...this.#chassis.plugged].filter((port) => !ports.has(port));
    for (const port of gone) {
      this.#streams.get(port)?.close();
      this.#streams.delete(port);
    }
    await this.#chassis.unplug(gone);
    const come = [...ports].filter((port) => !this.#streams.has(port));
    await this.#chassis.plug(come);
    await Promise.all(come.map((port) => this.#open(port)));
    // A frame that it writes before it has taken the connection is lost: it has when it has read one.
    for (const port of come) this.#streams.get(port)?.write(hello);
    await this.#still();
  }

  /** Sends all of them, and resolves when each has come out or never will. */
  async send(sendings: readonly Sending[]): Promise<Deliveries> {
    this.#arrived = new Map();
    for (let at = 0; at < sendings.length; at += framesInFlight) {
      for (const { port, frame } of sendings.slice(at, at + framesInFlight)) {
        const stream = this.#streams.get(port);
        if (stream === undefined) throw new Error(`${port} is not on the wire`);
        stream.write(frame);
      }
      await this.#still();
    }
    return this.#arrived;
  }

  async #open(port: string): Promise<void> {
    const path = this.#chassis.streamOf(port);
    const socket = connect(path);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
    });
    const stream = new Stream(path, socket, (frame) => {
      const identity = identityOf(frame);
      if (identity === null) return;
      this.#arrived.set(identity, [...(this.#arrived.get(identity) ?? []), port]);
    });
    this.#streams.set(port, stream);
  }

  /** First all that was sent is read by the switch; then what it has written by then is read here. */
  async #still(): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const counts = countsIn(await this.#chassis.appctl("dpctl/show", "-s"));
      const moving = [...this.#streams].filter(([, { path, written, read }]) => {
        const counted = counts.get(path);
        return counted?.received !== written || counted.sent !== read;
      });
      if (moving.length === 0) return;
      if (performance.now() > deadline) {
        const texts = moving.map(([port, { path, written, read }]) => {
          const { received, sent } = counts.get(path) ?? { received: "?", sent: "?" };
          return `${port}: ${written} sent and ${received} taken, ${sent} put out and ${read} read`;
        });
        throw new Error(`the switch does not come to rest: ${texts.join("; ")}`);
      }
      await sleep(pollMs);
    }
  }
}

interface Counts {
  readonly received: number;
  readonly sent: number;
}

/** By socket, what `dpctl/show -s` says of the interfaces that have one. */
function countsIn(text: string): ReadonlyMap<string, Counts> {
  const entries = text.matchAll(
    /pstream=punix:([^,)]+)[,)].*\n\s+RX packets:(\d+) .*\n\s+TX packets:(\d+) /g,
  );
  return new Map(
    [...entries].map(([, path = "", received, sent]) => [
      path,
      { received: Number(received), sent: Number(sent) },
    ]),
  );
}
