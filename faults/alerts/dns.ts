// A DNS server whose answers a fault decides. It takes one question in a datagram and knows addresses of IPv4 alone.

import { createSocket, type Socket } from "node:dgram";
import dnsPacket from "dns-packet";
import { plainResponse, writeMessage } from "../../test/support/dns/message.ts";

/**
 * Flags of instances name it before it listens. No port of its own is asked for: nothing else listens at this address of the
 * loopback network.
 */
export const dnsAddress = ["127.53.94.76", 9053] as const;

/** At that address, where an instance listens for what the server sends. */
export const tapsPort = 9478;

const noSuchName = 3;
const addressRecord = 1;

export class ScriptedDns {
  #socket: Socket | null = null;
  /** The addresses of a name; null: there is no such name. */
  answers: (name: string) => readonly string[] | null = () => null;

  async listen(): Promise<void> {
    if (this.#socket !== null) return;
    const socket = createSocket("udp4");
    socket.on("message", (bytes, { port, address }) => {
      socket.send(this.#answer(bytes), port, address);
    });
    const [address, port] = dnsAddress;
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(port, address, resolve);
    });
    // It is open for as long as the process has other work.
    socket.unref();
    this.#socket = socket;
  }

  /** What is asked from now on has no answer. */
  close(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  #answer(bytes: Buffer): Buffer {
    const { id, questions } = dnsPacket.decode(bytes);
    const { name = "", type = "A" } = questions?.[0] ?? {};
    const ips = this.answers(name);
    const answer = writeMessage({
      flags: plainResponse | (ips === null ? noSuchName : 0),
      question: { name, type: type === "A" ? addressRecord : 28 },
      answers: (type === "A" ? (ips ?? []) : []).map((ip) => ({
        ...{ owner: name, type: addressRecord, ttl: 1 },
        data: Buffer.from(ip.split(".").map(Number)),
      })),
      compressed: true,
    });
    answer.writeUInt16BE(id ?? 0, 0);
    return answer;
  }
}
