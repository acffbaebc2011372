// An API server on 127.0.0.1 that takes writes and answers what the test says, and a clock that the test moves by hand.
// It remembers every request, and how many were under way at once.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpApi } from "../../src/kube/index.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { LogFields, Logger } from "../../src/lib/logger.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export class ScriptedApi {
  readonly api: HttpApi;
  readonly sent: Sent[] = [];
  /** `reset`: the connection ends without an answer. A promise: the answer waits for it. */
  script: (sent: Sent) => Answer | "reset" | Promise<Answer> = () => ({ status: 200, body: {} });
  mostUnderWay = 0;
  #underWay = 0;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor() {
    const access = async () => {
      const { port } = this.#server.address() as AddressInfo;
      return { server: new URL(`http://127.0.0.1:${port}`), options: {} };
    };
    this.api = new HttpApi({ credentials: { access, renew() {}, close() {} }, clock: systemClock });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.api.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.#underWay);
    response.on("close", () => this.#underWay--);
    let text = "";
    for await (const piece of request) text += String(piece);
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const sent = {
      method: request.method ?? "",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      contentType: request.headers["content-type"] ?? "",
      body: JSON.parse(text) as unknown,
    };
    this.sent.push(sent);
    const answer = await this.script(sent);
    if (answer === "reset") response.destroy();
    else {
      const headers = { "Content-Type": "application/json", ...answer.headers };
      response.writeHead(answer.status, headers).end(JSON.stringify(answer.body ?? {}));
    }
  }
}

export class HandClock implements Clock {
  /** Waits that were begun. */
  readonly waits: number[] = [];
  #now = 0;
  readonly #tasks = new Set<{ readonly at: number; readonly task: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void) {
    this.waits.push(ms);
    const entry = { at: this.#now + ms, task };
    this.#tasks.add(entry);
    return { cancel: () => this.#tasks.delete(entry) };
  }

  get tasks(): number {
    return this.#tasks.size;
  }

  elapse(ms: number): void {
    this.#now += ms;
    for (const entry of [...this.#tasks])
      if (entry.at <= this.#now && this.#tasks.delete(entry)) entry.task();
  }
}

/** Lines above debug. */
export class LineLogger implements Logger {
  readonly said: (readonly [level: string, text: string, fields: LogFields])[] = [];

  get lines(): readonly { readonly text: string; readonly fields: LogFields }[] {
    return this.said.map(([, text, fields]) => ({ text, fields }));
  }

  debug(): void {}

  info(text: string, fields: LogFields = {}): void {
    this.said.push(["info", text, fields]);
  }

  warn(text: string, fields: LogFields = {}): void {
    this.said.push(["warn", text, fields]);
  }

  error(text: string, fields: LogFields = {}): void {
    this.said.push(["error", text, fields]);
  }
}
