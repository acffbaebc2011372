// The built program with its page over a folder, as a process of its own: what an answer takes by the clock, of the processor (of
// all its threads), in bytes as they are sent, and the largest memory meanwhile.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { heapFlags } from "../../src/v8-flags.ts";
import { threadsMs, tickedMs, usageOf } from "../run/usage.ts";

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
/** A thread answers some questions: the page asks again this often. */
const againMs = 50;

interface Answer {
  readonly status: number;
  /** As they are sent. */
  readonly bytes: number;
  /** Only of what is too short to be compressed. */
  readonly body: string;
}

export class PageProgram {
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #pid: number;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.#pid = child.pid ?? 0;
    this.address = address;
  }

  /** Resolves when its address is there. */
  static async start(...args: readonly string[]): Promise<PageProgram> {
    const child = spawn(process.execPath, [...heapFlags, main, "ui", "--listen", "127.0.0.1:0", ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = (await once(child.stdout, "data")) as [Buffer];
    return new PageProgram(child, printed.toString().trim());
  }

  /** With the threads that it has started and ended. */
  get cpuMs(): number {
    return tickedMs(this.#pid);
  }

  /** Of each thread that is there. */
  get threadsMs(): ReadonlyMap<string, number> {
    return threadsMs(this.#pid);
  }

  /** Since the last time. */
  peakMiB(): number {
    const { peakRssBytes } = usageOf(this.#pid);
    writeFileSync(`/proc/${this.#pid}/clear_refs`, "5");
    return peakRssBytes / 2 ** 20;
  }

  async end(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }

  /** The answer that is made, and the bytes of it alone. */
  async ask(path: string): Promise<Answer> {
    for (;;) {
      const answer = await this.#once(path);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
      if (!answer.body.startsWith('{"isMaking":true')) return answer;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }

  /** The result of a text that is compared. */
  async compare(text: string): Promise<Answer> {
    const { body } = await this.#once("/api/compare", text);
    const { id } = JSON.parse(body) as { readonly id: string };
    return this.ask(`/api/compare?id=${id}`);
  }

  /** A stream that has begun, and what waits for its next event. */
  async stream(): Promise<{ readonly next: () => Promise<number>; readonly close: () => void }> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const asked = request(`${this.address}/api/events`, { agent: false }, resolve).once("error", reject);
    asked.end();
    const response = await promise;
    response.on("error", () => undefined);
    const next = async () => {
      const [data] = (await once(response, "data")) as [Buffer];
      return data.length;
    };
    await next();
    const close = (): void => {
      asked.destroy();
    };
    return { next, close };
  }

  /** On a connection of its own, as the server has them. `text`: posted. */
  #once(path: string, text?: string): Promise<Answer> {
    const headers = {
      "accept-encoding": "br",
      ...(text === undefined ? {} : { "content-type": "application/yaml" }),
    };
    return new Promise((resolve, reject) => {
      const options = { agent: false, headers, method: text === undefined ? "GET" : "POST" } as const;
      const asked = request(`${this.address}${path}`, options, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject).once("end", () => {
          const sent = Buffer.concat(parts);
          const isShort = response.headers["content-encoding"] === undefined;
          const body = isShort ? sent.toString() : "";
          resolve({ status: response.statusCode ?? 0, bytes: sent.length, body });
        });
      });
      asked.once("error", reject).end(text);
    });
  }
}
