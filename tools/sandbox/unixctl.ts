// Sends requests to a daemon of Open vSwitch over a unix socket, on one connection: JSON-RPC 1.0, one request at a time. The control
// socket takes commands, as ovs-appctl sends them; that of a database server takes transactions. Rejects when the daemon returns an error.

import { type Socket, connect } from "node:net";

interface Answer {
  readonly result: unknown;
  readonly error: unknown;
}

export class ControlSocket {
  readonly #socket: Socket;
  #waiting: ((chunk: string | Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.unref(); // no test run waits for an idle one
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => this.#waiting?.(chunk));
    socket.on("error", (error) => this.#waiting?.(error));
    socket.on("close", () => this.#waiting?.(new Error("the control socket was closed")));
  }

  static open(path: string): Promise<ControlSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.removeListener("error", reject);
        resolve(new ControlSocket(socket));
      });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** A command; the answer is what it prints. */
  async call(command: string, ...args: readonly string[]): Promise<string> {
    const printed = await this.ask(command, args);
    return typeof printed === "string" ? printed : "";
  }

  /** One request at a time. */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    this.#socket.ref();
    const answer = await new Promise<Answer>((resolve, reject) => {
      let text = "";
      this.#waiting = (chunk) => {
        if (chunk instanceof Error) {
          reject(chunk);
          return;
        }
        text += chunk;
        const whole = text.trimEnd().endsWith("}") ? parse(text) : null;
        if (whole !== null) resolve(whole);
      };
      this.#socket.write(JSON.stringify({ id: 0, method, params }));
    }).finally(() => {
      this.#waiting = null;
      this.#socket.unref();
    });
    const { error, result } = answer;
    if (error !== null)
      throw new Error(`${method}: ${typeof error === "string" ? error : JSON.stringify(error)}`);
    return result;
  }
}

/** The answer; null while part of it is missing. */
function parse(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return null;
  }
}
