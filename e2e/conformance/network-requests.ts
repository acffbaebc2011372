// What the node agent asks of the pod network, over a unix socket (e2e/node-agent/network.go). Requests that come at once are worked
// off together; an answer means that what was asked for is done.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Balancer } from "./balancers.ts";

/** As e2e/node-agent/network.go has it. */
export interface Attachment {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly ips: readonly string[] | null;
  /** The path of the network namespace that gets the interface. */
  readonly netns: string;
}

export interface PodChange {
  readonly what: "attach" | "detach";
  readonly pod: Attachment;
}

/** What does it. */
export interface PodNetwork {
  perform(changes: readonly PodChange[]): Promise<void>;
  /** Makes these the only ones. */
  balance(wanted: readonly Balancer[]): Promise<void>;
}

interface Waiting extends PodChange {
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class NetworkRequests {
  readonly #network: PodNetwork;
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response);
  });
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;

  constructor(network: PodNetwork) {
    this.#network = network;
  }

  listen(socket: string): Promise<void> {
    return new Promise((done) => this.#server.listen(socket, done));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
    await this.#working;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = `${request.method ?? ""} ${request.url ?? ""}`;
    try {
      const body: unknown = JSON.parse(await textOf(request));
      if (asked === "PUT /balancers") await this.#network.balance(body as readonly Balancer[]);
      else if (asked === "PUT /pods") await this.#ask("attach", body as Attachment);
      else if (asked === "DELETE /pods") await this.#ask("detach", body as Attachment);
      else throw new Error(`nobody does ${asked}`);
      response.end();
    } catch (error) {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : String(error));
    }
  }

  #ask(what: PodChange["what"], pod: Attachment): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ what, pod, done, failed });
      this.#working ??= this.#work().finally(() => (this.#working = null));
    });
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((turn) => setImmediate(turn)); // those that come at once come together
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#network.perform(batch);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
  }
}

export async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += String(chunk);
  return text;
}
