// KubeApi over node:http and node:https. Every wait is bounded: for the credentials, for the connection, for the head of the
// answer, for its next byte; so is the length of an answer, and of an event of a stream. Credentials are requested before each
// request; after an answer 401 they are made again and the request is repeated once.

import type { IncomingMessage } from "node:http";
import { request as plainRequest } from "node:http";
import type { RequestOptions } from "node:https";
import { request as tlsRequest } from "node:https";
import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { invariant } from "../../lib/invariant.ts";
import type { ObjectShape } from "../protobuf/envelope.ts";
import type { ApiRequest, ApiResponse, ApiStream, KubeApi, StreamRequest } from "./api.ts";
import { ApiOversized, ApiUnreachable } from "./api.ts";
import { deadline, Watchdog } from "./deadline.ts";
import { bodyOf, protobufOrJson, splitterFor } from "./answer.ts";
import { answerBytes } from "./limits.ts";
import { messageOf } from "./message.ts";

/** The connection and the credentials of one request. */
export interface Access {
  readonly server: URL;
  /** Headers, agent and everything that TLS needs. */
  readonly options: RequestOptions;
}

export interface Credentials {
  access(): Promise<Access>;
  /** The last credentials failed: remembered ones must not be used again. */
  renew(): void;
  /** Ends the connections. */
  close(): void;
}

export interface HttpTimeouts {
  readonly credentialsMs: number;
  readonly connectMs: number;
  /** Milliseconds until the head of the answer. */
  readonly answerMs: number;
  /** Milliseconds between two pieces of an answer that is no stream. */
  readonly idleMs: number;
}

export interface HttpApiOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly timeouts?: Partial<HttpTimeouts>;
  /** `json`: nothing is asked for as protobuf. `protobuf` unless given: whatever has a shape is. */
  readonly objects?: ObjectEncoding | undefined;
}

/** How objects are asked for. */
type ObjectEncoding = "protobuf" | "json";

/** A Status fits into it; the rest of anything else is not needed. */
const statusBytes = 64 * 1024;

const defaultTimeouts: HttpTimeouts = {
  credentialsMs: 30_000,
  connectMs: 10_000,
  answerMs: 60_000,
  idleMs: 30_000,
};

export class HttpApi implements KubeApi {
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #timeouts: HttpTimeouts;
  readonly #objects: ObjectEncoding;
  #requests = 0;

  constructor({ credentials, clock, timeouts = {}, objects = "protobuf" }: HttpApiOptions) {
    this.#objects = objects;
    this.#credentials = credentials;
    this.#clock = clock;
    this.#timeouts = { ...defaultTimeouts, ...timeouts };
  }

  get requests(): number {
    return this.#requests;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const answer = await this.#open(request);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of this.#pieces(request, answer, this.#timeouts.idleMs)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > answerBytes) throw oversized(request, "an answer");
    }
    const head = headOf(answer);
    const shape = this.#shapeOf(request);
    return { ...head, ...bodyOf(head, Buffer.concat(pieces), shape, request.asList) };
  }

  async stream(request: StreamRequest): Promise<ApiStream> {
    const answer = await this.#open(request);
    const head = headOf(answer);
    if (head.status === 200) return { ...head, body: null, events: this.#events(request, answer) };
    const { body } = bodyOf(head, await this.#beginning(request, answer));
    return { ...head, body, events: nothing };
  }

  #shapeOf({ shape }: ApiRequest): ObjectShape | undefined {
    return this.#objects === "json" ? undefined : shape;
  }

  close(): void {
    this.#credentials.close();
  }

  async #open(request: ApiRequest): Promise<IncomingMessage> {
    const answer = await this.#send(request);
    if (answer.statusCode !== 401) return answer;
    answer.destroy();
    this.#credentials.renew();
    return await this.#send(request);
  }

  async #send(request: ApiRequest): Promise<IncomingMessage> {
    request.signal?.throwIfAborted();
    return await this.#exchange(request, await this.#access(request));
  }

  /** A plugin that makes credentials may hang. */
  async #access(request: ApiRequest): Promise<Access> {
    const wait = this.#timeouts.credentialsMs;
    const signal = request.signal ?? null;
    try {
      return await deadline(this.#clock, wait, this.#credentials.access(), "no credentials", signal);
    } catch (error) {
      // Credentials that were not made in time are dropped, and requested again with the next request.
      this.#credentials.renew();
      throw unreachable(request, error);
    }
  }

  #exchange(request: ApiRequest, access: Access): Promise<IncomingMessage> {
    const { server, options } = access;
    this.#requests++;
    const { connectMs, answerMs } = this.#timeouts;
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const send = server.protocol === "https:" ? tlsRequest : plainRequest;
    const sent = send(urlOf(server, request), {
      ...options,
      method: request.method,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    const accepted = this.#shapeOf(request) === undefined ? "application/json" : protobufOrJson;
    for (const [name, value] of headersOf(request, body, accepted)) sent.setHeader(name, value);
    let answered = false;
    const watchdog = new Watchdog(this.#clock, (reason) => {
      sent.destroy(new Error(reason));
    });
    watchdog.wait(connectMs, "no connection");
    sent.once("socket", (socket) => {
      whenConnected(socket, sent.reusedSocket, () => {
        watchdog.wait(answerMs, "no answer");
      });
    });
    return new Promise((resolve, reject) => {
      // Stays for good: a connection may fail long after the head has arrived, and then the body's reader gets the
      // error.
      sent.on("error", (error) => {
        watchdog.end();
        // The server closed a kept connection just as it was used again. Only requests that may be repeated are sent
        // again.
        const stale = sent.reusedSocket && isReset(error) && !answered && request.method !== "POST";
        if (stale) resolve(this.#exchange(request, access));
        else reject(unreachable(request, error));
      });
      sent.once("response", (answer) => {
        answered = true;
        watchdog.end();
        // Until a reader is attached, a failing body has no other listener.
        answer.on("error", () => undefined);
        resolve(answer);
      });
      sent.end(body ?? undefined);
    });
  }

  async *#pieces(request: ApiRequest, answer: IncomingMessage, idleMs: number): AsyncGenerator<Buffer> {
    const watchdog = new Watchdog(this.#clock, (reason) => {
      answer.destroy(new Error(reason));
    });
    try {
      watchdog.wait(idleMs, "not a byte");
      for await (const piece of answer) {
        invariant(Buffer.isBuffer(piece), "an answer without an encoding is bytes");
        watchdog.wait(idleMs, "not a byte");
        yield piece;
      }
    } catch (error) {
      throw unreachable(request, error);
    } finally {
      watchdog.end();
      if (!answer.complete) answer.destroy();
    }
  }

  async *#events(request: StreamRequest, answer: IncomingMessage): AsyncGenerator<readonly unknown[]> {
    const splitter = splitterFor(headOf(answer).headers, this.#shapeOf(request));
    for await (const piece of this.#pieces(request, answer, request.idleMs)) {
      const events = splitter.push(piece);
      if (events.length > 0) yield events;
      if (splitter.pending > answerBytes) throw oversized(request, "an event of the answer");
    }
  }

  /** Of an answer that is no stream. */
  async #beginning(request: StreamRequest, answer: IncomingMessage): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of this.#pieces(request, answer, request.idleMs)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > statusBytes) break;
    }
    return Buffer.concat(pieces);
  }
}

/** Of an answer that is no stream. */
const nothing: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

function whenConnected(socket: Socket, reused: boolean, connected: () => void): void {
  const handshaking = "secureConnecting" in socket && socket.secureConnecting === true;
  if (reused || !(socket.connecting || handshaking)) connected();
  else socket.once(handshaking ? "secureConnect" : "connect", connected);
}

function isReset(error: Error): boolean {
  return "code" in error && error.code === "ECONNRESET";
}

function urlOf(server: URL, { path, query }: ApiRequest): URL {
  const url = new URL(server);
  url.pathname = url.pathname.replace(/\/$/, "") + path;
  url.search = new URLSearchParams(query).toString();
  return url;
}

function headersOf(
  { contentType }: ApiRequest,
  body: string | null,
  accepted: string,
): ReadonlyMap<string, string> {
  const headers = new Map([
    ["Accept", accepted],
    ["User-Agent", "northgate"],
  ]);
  if (body === null) return headers;
  headers.set("Content-Type", contentType ?? "application/json");
  return headers.set("Content-Length", String(Buffer.byteLength(body)));
}

function headOf(answer: IncomingMessage): Pick<ApiResponse, "status" | "headers"> {
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: answer.statusCode ?? 0, headers: new Map(headers) };
}

function oversized({ method, path }: ApiRequest, what: string): ApiOversized {
  return new ApiOversized(`${method} ${path}: ${what} is longer than ${answerBytes / 1024 / 1024} MiB`);
}

function unreachable({ method, path }: ApiRequest, error: unknown): ApiUnreachable {
  return new ApiUnreachable(`${method} ${path}: ${messageOf(error)}`, { cause: error });
}
