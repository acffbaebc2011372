// Stands between a client and a real server and passes whole messages, but for those of a method that is muted: these are
// lost, as those are that a server without a quorum holds. Everything else goes on, echoes too.

import { connect, createServer, type Server, type Socket } from "node:net";
import { MessageSplitter } from "../../src/ovsdb/wire/framing.ts";

export class MutingProxy {
  readonly remote: string;
  readonly muted = new Set<string>();
  /** Of messages whose method is muted, those that are lost. */
  isLost: (text: string) => boolean = () => true;
  /** Requests that were lost, by method. */
  readonly lost: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(target: string, path: string) {
    this.remote = `unix:${path}`;
    this.#server = createServer((client) => {
      const server = connect(target);
      const splitter = new MessageSplitter(2 ** 30);
      client.on("data", (chunk) => {
        for (const { text } of splitter.push(chunk)) {
          const { method } = JSON.parse(text) as { readonly method?: string };
          if (method !== undefined && this.muted.has(method) && this.isLost(text)) this.lost.push(method);
          else server.write(text);
        }
      });
      server.pipe(client);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => undefined);
        one.on("close", () => {
          other.destroy();
          this.#sockets.delete(one);
        });
      }
    });
  }

  /** The paths of two unix sockets: the server's, and the one to listen on. */
  static async open(target: string, path: string): Promise<MutingProxy> {
    const proxy = new MutingProxy(target, path);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(path, resolve);
    });
    return proxy;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
