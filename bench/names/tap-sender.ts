// Sends answers by dnstap as a CoreDNS does, each with an address that was not answered before, at a constant rate: the names take turns.

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { recordTypes } from "../../src/names/dnstap/dns/response.ts";
import { plainResponse, writeMessage } from "../../test/support/dns/message.ts";
import { ready, start } from "../../test/support/dns/tap-sender.ts";
import { dataFrame, messageTypes, tapMessage } from "../../test/support/dns/tap.ts";
import { bytesOf } from "./dns-server.ts";
import type { Ledger } from "./ledger.ts";

const turnMs = 5;
const connectEveryMs = 100;

export interface Sending {
  readonly nameOf: (at: number) => string;
  readonly names: number;
  /** A second. */
  readonly rate: number;
  /** In seconds. */
  readonly ttl: number;
  readonly ledger: Ledger;
}

export class TapSender {
  readonly #sending: Sending;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  readonly #begun = performance.now();
  #sent = 0;

  private constructor(sending: Sending, socket: Socket) {
    this.#sending = sending;
    this.#socket = socket;
    socket.on("error", () => undefined);
    this.#timer = setInterval(() => {
      this.#turn();
    }, turnMs);
  }

  /** Tries until somebody listens. It sends from then on. */
  static async open(port: number, sending: Sending): Promise<TapSender> {
    for (;;) {
      const socket = connect({ host: "127.0.0.1", port });
      try {
        await once(socket, "connect");
        socket.setNoDelay(true);
        socket.write(ready);
        await once(socket, "data");
        socket.write(start);
        return new TapSender(sending, socket);
      } catch {
        socket.destroy();
        await sleep(connectEveryMs);
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }

  #turn(): void {
    const { nameOf, names, rate, ttl, ledger } = this.#sending;
    const due = Math.floor(((performance.now() - this.#begun) * rate) / 1_000);
    for (; this.#sent < due; this.#sent++) {
      const name = nameOf(this.#sent % names);
      const address = ledger.next();
      const question = { name, type: recordTypes.A };
      const answers = [{ owner: name, type: recordTypes.A, ttl, data: bytesOf(address) }];
      const message = writeMessage({ flags: plainResponse, question, answers, compressed: true });
      ledger.sent(address);
      this.#socket.write(dataFrame(tapMessage(messageTypes.clientResponse, message)));
    }
  }
}
