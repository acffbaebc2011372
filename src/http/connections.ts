// The connections of a server of ours, bounded in number and in time, whatever their clients do or fail to do. Refuses no
// newcomer: at the limit the oldest connection of the address that has the most is closed instead, so that no client that holds
// connections open keeps the probes of the kubelet out, nor anybody else. The connection of an answer that goes on (stream.ts) is kept apart, where its owner bounds it.

import type { Server, Socket } from "node:net";
import type { Clock, Timer } from "../lib/clock.ts";

export const mostConnections = 64;
/** A connection is closed when it is as old as this: it may send its request late, or never read its answer. */
export const connectionMs = 10_000;

export class Connections {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #open = new Map<Socket, { readonly end: Timer; readonly peer: string }>();
  readonly #kept = new Set<Socket>();

  /** `opened` is called before the server looks at a new connection. */
  constructor(server: Server, clock: Clock, opened: () => void) {
    this.#clock = clock;
    server.prependListener("connection", (socket: Socket) => {
      opened();
      this.#add(socket);
    });
  }

  get size(): number {
    return this.#open.size + this.#kept.size;
  }

  /**
   * It no longer counts, and is closed by whoever keeps it, or with the server. Over TLS the socket of a request is another one than
   * that of its connection: they have one peer.
   */
  keep(socket: Socket): void {
    const peer = peerOf(socket);
    for (const [one, open] of this.#open) if (one === socket || open.peer === peer) this.#forget(one);
    if (socket.destroyed) return;
    this.#kept.add(socket);
    socket.once("close", () => {
      this.#kept.delete(socket);
    });
  }

  closeAll(): void {
    for (const socket of [...this.#open.keys(), ...this.#kept]) socket.destroy();
  }

  #add(socket: Socket): void {
    const leaving = this.#open.size < mostConnections ? undefined : this.#oldestOfMost();
    if (leaving !== undefined) {
      this.#forget(leaving);
      leaving.destroy();
    }
    const end = this.#clock.after(connectionMs, () => {
      socket.destroy();
    });
    this.#open.set(socket, { end, peer: peerOf(socket) });
    socket.once("close", () => {
      this.#forget(socket);
    });
  }

  #oldestOfMost(): Socket | undefined {
    const byAddress = [...Map.groupBy(this.#open.keys(), ({ remoteAddress }) => remoteAddress).values()];
    return byAddress.reduce((most, one) => (one.length > most.length ? one : most), [])[0];
  }

  #forget(socket: Socket): void {
    this.#open.get(socket)?.end.cancel();
    this.#open.delete(socket);
  }
}

function peerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
