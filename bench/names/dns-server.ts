// A DNS server on 127.0.0.1 for measurements. Each name has one address, another one in each answer, and none of IPv6. The first
// answers have different TTLs and come after different times, so that later questions are spread over the time. Over TCP it answers every
// question with an empty response, as a nudge needs it.

import type { Socket as UdpSocket } from "node:dgram";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import dnsPacket from "dns-packet";
import { recordTypes } from "../../src/names/dnstap/dns/response.ts";
import { plainResponse, writeMessage } from "../../test/support/dns/message.ts";
import { freePort } from "../../e2e/names/coredns-process.ts";
import type { Ledger } from "./ledger.ts";

/** Less than the 500 ms after which a question is asked again. */
const spreadMs = 200;
const lengthBytes = 2;

export class DnsServer {
  readonly port: number;
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #open = new Set<Socket>();
  readonly #ledger: Ledger;
  readonly #ttl: number;
  readonly #known = new Set<string>();

  private constructor(port: number, ttl: number, ledger: Ledger) {
    this.port = port;
    this.#ttl = ttl;
    this.#ledger = ledger;
    this.#udp = createSocket("udp4", (message, { port: from }) => {
      this.#take(message, from);
    });
    this.#tcp = createServer((socket) => {
      this.#open.add(socket);
      socket.on("close", () => this.#open.delete(socket)).on("error", () => undefined);
      answerEmpty(socket);
    });
  }

  /** `ttl`: in seconds, of all answers but the first ones. */
  static async open(ttl: number, ledger: Ledger): Promise<DnsServer> {
    const server = new DnsServer(await freePort(), ttl, ledger);
    server.#udp.bind(server.port, "127.0.0.1");
    server.#tcp.listen(server.port, "127.0.0.1");
    await Promise.all([once(server.#udp, "listening"), once(server.#tcp, "listening")]);
    return server;
  }

  async close(): Promise<void> {
    this.#udp.close();
    for (const socket of this.#open) socket.destroy();
    this.#tcp.close();
    await once(this.#tcp, "close");
  }

  #take(message: Buffer, from: number): void {
    const { id = 0, questions = [] } = dnsPacket.decode(message);
    const [question] = questions;
    if (question === undefined) return;
    const { name, type } = question;
    if (type !== "A") this.#send(id, { name, type: recordTypes.AAAA }, [], from);
    else if (this.#known.has(name)) this.#answer(id, name, this.#ttl, from);
    else this.#answerFirst(id, name, from);
  }

  #answerFirst(id: number, name: string, from: number): void {
    const at = this.#known.size;
    this.#known.add(name);
    setTimeout(
      () => {
        this.#answer(id, name, 1 + (at % this.#ttl), from);
      },
      (at * 7) % spreadMs,
    );
  }

  #answer(id: number, name: string, ttl: number, from: number): void {
    const address = this.#ledger.next();
    const data = bytesOf(address);
    this.#ledger.sent(address);
    this.#send(id, { name, type: recordTypes.A }, [{ owner: name, type: recordTypes.A, ttl, data }], from);
  }

  #send(
    id: number,
    question: { readonly name: string; readonly type: number },
    answers: readonly {
      readonly owner: string;
      readonly type: number;
      readonly ttl: number;
      readonly data: Buffer;
    }[],
    to: number,
  ): void {
    const message = writeMessage({ flags: plainResponse, question, answers, compressed: true });
    message.writeUInt16BE(id);
    this.#udp.send(message, to, "127.0.0.1");
  }
}

export function bytesOf(address: string): Buffer {
  return Buffer.from(address.split(".").map(Number));
}

/** Each question is answered by its head alone. */
function answerEmpty(socket: Socket): void {
  let read = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    for (;;) {
      const length = read.length < lengthBytes ? Infinity : read.readUInt16BE();
      if (read.length < lengthBytes + length) return;
      const answer = Buffer.alloc(lengthBytes + 12);
      answer.writeUInt16BE(12);
      read.copy(answer, lengthBytes, lengthBytes, lengthBytes + 2);
      answer.writeUInt16BE(plainResponse, lengthBytes + 2);
      socket.write(answer);
      read = read.subarray(lengthBytes + length);
    }
  });
}
