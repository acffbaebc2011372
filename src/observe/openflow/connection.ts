// A connection to the management socket of a bridge, as OpenFlow slave: the switch then refuses whatever would change it. Every
// request is answered in time, or the connection ends with one sentence. What nobody asked for is left unread.

import type { Socket } from "node:net";
import { connect } from "node:net";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { FlowEntry, Message } from "./messages.ts";
import {
  flowsBody,
  flowsReply,
  generationOf,
  MessageReader,
  messageOf,
  OpenFlowError,
  roleBody,
  roles,
  types,
  version,
} from "./messages.ts";

/** More than the answer about many thousands of flow entries takes. */
export const answerMs = 5_000;
/** Entries of one reading. */
export const mostEntries = 500_000;
const otherVersion = "the switch does not speak OpenFlow 1.3";
/** Requests that are under way at once. */
const window = 256;

/** The switch refuses a request: type and code as in section 7.5.4 of the specification. */
export class RefusedError extends OpenFlowError {
  override readonly name = "RefusedError";
  readonly type: number;
  readonly code: number;

  constructor(type: number, code: number) {
    super(`the switch refuses a request (error type ${type}, code ${code})`);
    this.type = type;
    this.code = code;
  }
}

interface Request {
  /** Returns whether that was the last message of the answer. */
  readonly take: (message: Message) => boolean;
  readonly reject: (error: Error) => void;
}

export class OpenFlowConnection {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #reader = new MessageReader();
  readonly #requests = new Map<number, Request>();
  readonly #greeted = Promise.withResolvers<undefined>();
  #silence: Timer;
  #isGreeted = false;
  #xid = 0;
  #failure: Error | null = null;

  private constructor(path: string, clock: Clock) {
    this.#clock = clock;
    this.#socket = connect(path);
    this.#silence = this.#timer();
    this.#socket.on("data", (chunk) => {
      this.#take(chunk);
    });
    this.#socket.on("error", (error) => {
      this.#fail(new OpenFlowError(error.message));
    });
    this.#socket.on("close", () => {
      this.#fail(new OpenFlowError("the switch has closed the connection"));
    });
    this.#greeted.promise.catch(() => undefined);
    this.#socket.write(messageOf(types.hello, this.#nextXid()));
  }

  /** `path`: of the unix socket. Rejects with OpenFlowError of one sentence. */
  static async open(path: string, clock: Clock): Promise<OpenFlowConnection> {
    const connection = new OpenFlowConnection(path, clock);
    try {
      await connection.#greeted.promise;
      const asked = await connection.request(types.roleRequest, roleBody(roles.noChange, 0n));
      await connection.request(types.roleRequest, roleBody(roles.slave, generationOf(asked.body)));
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Sends one message, and resolves with its one answer. Rejects with RefusedError, or OpenFlowError when none comes. */
  request(type: number, body: Buffer): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.#send(type, body, {
        take: (message) => {
          resolve(message);
          return true;
        },
        reject,
      });
    });
  }

  /** The entries of these cookies, in no order. Rejects as `request` does, and where there are too many. */
  async entriesOf(cookies: Iterable<number>): Promise<readonly FlowEntry[]> {
    const entries: FlowEntry[] = [];
    const waiting = [...cookies];
    for (let at = 0; at < waiting.length; at += window)
      await Promise.all(waiting.slice(at, at + window).map((cookie) => this.#entriesOf(cookie, entries)));
    return entries;
  }

  close(): void {
    this.#fail(new OpenFlowError("the connection was closed"));
  }

  #entriesOf(cookie: number, into: FlowEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = ({ body }: Message): boolean => {
        const { entries, isLast } = flowsReply(body);
        for (const entry of entries) into.push(entry);
        if (into.length > mostEntries) throw new OpenFlowError(`more than ${mostEntries} flow entries`);
        if (isLast) resolve();
        return isLast;
      };
      this.#send(types.multipartRequest, flowsBody(cookie), { take, reject });
    });
  }

  #send(type: number, body: Buffer, request: Request): void {
    if (this.#failure !== null) {
      request.reject(this.#failure);
      return;
    }
    const xid = this.#nextXid();
    if (this.#requests.size === 0) this.#restart();
    this.#requests.set(xid, request);
    this.#socket.write(messageOf(type, xid, body));
  }

  #take(chunk: Buffer): void {
    try {
      for (const message of this.#reader.read(chunk)) this.#answer(message);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new OpenFlowError(String(error)));
    }
  }

  #answer({ xid, ...message }: Message): void {
    if (message.type === types.hello) {
      this.#greet(message.version);
      return;
    }
    if (message.type === types.echoRequest) {
      this.#socket.write(messageOf(types.echoReply, xid, message.body));
      return;
    }
    if (message.type === types.error && !this.#isGreeted) throw new OpenFlowError(otherVersion);
    const request = this.#requests.get(xid);
    if (request === undefined) return;
    this.#restart();
    if (message.type === types.error) {
      this.#requests.delete(xid);
      const { body } = message;
      if (body.length < 4) throw new OpenFlowError("an error that is cut");
      request.reject(new RefusedError(body.readUInt16BE(0), body.readUInt16BE(2)));
    } else if (request.take({ xid, ...message })) this.#requests.delete(xid);
    if (this.#requests.size === 0) this.#silence.cancel();
  }

  /** Of two versions the lower one is spoken. */
  #greet(theirs: number): void {
    if (theirs < version) throw new OpenFlowError(otherVersion);
    this.#isGreeted = true;
    this.#silence.cancel();
    this.#greeted.resolve(undefined);
  }

  #restart(): void {
    this.#silence.cancel();
    this.#silence = this.#timer();
  }

  #timer(): Timer {
    return this.#clock.after(answerMs, () => {
      this.#fail(new OpenFlowError(`the switch has not answered for ${answerMs / 1000} s`));
    });
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#silence.cancel();
    this.#greeted.reject(error);
    for (const { reject } of this.#requests.values()) reject(error);
    this.#requests.clear();
    this.#socket.destroy();
  }

  #nextXid(): number {
    return (this.#xid = (this.#xid + 1) >>> 0);
  }
}
