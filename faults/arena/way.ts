// An instance's own way to the API server: a server with the API server's certificate that passes every request on, with the
// caller's token. It can be cut, pass answers on late, or answer everything itself with an error. Refuses nothing else.

import { readFileSync } from "node:fs";
import { Agent, createServer, request } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { RelayPort } from "../../test/kube/relay-port.ts";

/** How long each chunk of an answer is held back; the status of an error that answers everything. */
export type Trouble = { readonly lateMs: () => number } | { readonly status: 429 | 500 };

export class Way {
  readonly #plane: ControlPlane;
  readonly #relay: RelayPort;
  readonly #agent: Agent;
  #trouble: Trouble | null = null;
  /** Requests that it answered itself. */
  refused = 0;

  private constructor(plane: ControlPlane, relay: RelayPort) {
    this.#plane = plane;
    this.#relay = relay;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(join(plane.dir, "pki", "ca.crt")) });
  }

  /** Takes connections when this resolves. */
  static async open(plane: ControlPlane): Promise<Way> {
    const way = new Way(plane, await RelayPort.pick());
    await way.listen();
    return way;
  }

  /** Writes a kubeconfig like the given one, of a user with a token, that leads through here. */
  kubeconfig(from: string, to: string): void {
    this.#relay.kubeconfig(from, to, this.#plane.url);
  }

  /** Passes everything on as it is. */
  async listen(): Promise<void> {
    this.#trouble = null;
    const read = (file: string) => readFileSync(join(this.#plane.dir, "pki", file));
    await this.#relay.listen(() =>
      createServer({ cert: read("serving.crt"), key: read("serving.key") }, (asked, answer) => {
        this.#pass(asked, answer);
      }),
    );
  }

  /** Ends every connection; what is asked from now on has the trouble, until `listen`. */
  disturb(trouble: Trouble): void {
    this.#trouble = trouble;
    this.drop();
  }

  /** Ends every connection; new ones are taken. */
  drop(): void {
    this.#relay.drop();
  }

  /** Ends every connection and refuses new ones until `listen`. */
  async cut(): Promise<void> {
    await this.#relay.cut();
  }

  async close(): Promise<void> {
    await this.cut();
    this.#agent.destroy();
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const trouble = this.#trouble;
    if (trouble !== null && "status" in trouble) {
      this.refused++;
      asked.resume();
      answer.writeHead(trouble.status, trouble.status === 429 ? { "retry-after": "1" } : {}).end();
      return;
    }
    const { method, url, headers } = asked;
    const target = request(new URL(url ?? "/", this.#plane.url), { method, headers, agent: this.#agent });
    target.on("response", (answered) => {
      passOn(answered, answer, trouble?.lateMs ?? null);
    });
    target.on("error", () => answer.destroy());
    answer.on("close", () => target.destroy());
    asked.pipe(target);
  }
}

/** In order; a chunk that is late delays those behind it only as far as it has to. */
function passOn(from: IncomingMessage, to: ServerResponse, lateMs: (() => number) | null): void {
  from.on("error", () => to.destroy());
  const head = () => to.writeHead(from.statusCode ?? 502, from.headers);
  if (lateMs === null) {
    head().flushHeaders();
    from.pipe(to);
    return;
  }
  let last: Promise<unknown> = Promise.resolve();
  const later = (action: () => unknown): void => {
    last = Promise.all([last, sleep(lateMs())]).then(action);
  };
  later(head);
  from.on("data", (chunk: Buffer) => {
    later(() => to.write(chunk));
  });
  from.on("end", () => {
    later(() => to.end());
  });
}
