// A plain client of the API server over node:https, for what kubectl is too slow for: many requests over few connections.
// Refuses to read an answer's meaning: JSON goes in and comes out. An answer of 400 and above rejects with its status.

import { Agent, request } from "node:https";
import { patience } from "../support/patience.ts";

export interface ClientIdentity {
  /** In PEM. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
    readonly uid?: string;
    readonly generation?: number;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** The API server refused. Its message is what kubectl would show. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The whole answer: as a rule a Status of Kubernetes, in JSON. */
  readonly answer: string;

  constructor(method: string, path: string, status: number, answer: string) {
    super(`${method} ${path}: ${status} ${messageOf(answer)}`);
    this.status = status;
    this.answer = answer;
  }
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RequestOptions {
  readonly body?: unknown;
  /** application/json unless told; a patch needs its own. */
  readonly type?: string;
  readonly accept?: string;
  readonly timeoutMs?: number;
}

export class ApiClient {
  readonly url: string;
  readonly #identity: () => ClientIdentity;
  readonly #connections: number;
  #agent: Agent;

  constructor(url: string, identity: () => ClientIdentity, connections = 50) {
    this.url = url;
    this.#identity = identity;
    this.#connections = connections;
    this.#agent = this.#newAgent();
  }

  /** The answer's text, whatever its type. */
  text(method: Method, path: string, options: RequestOptions = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const body = options.body === undefined ? "" : JSON.stringify(options.body);
      const headers: Record<string, string | number> = {
        accept: options.accept ?? "application/json",
      };
      if (body !== "") {
        headers["content-type"] = options.type ?? "application/json";
        headers["content-length"] = Buffer.byteLength(body); // a DELETE would send its body without any
      }
      const settings = {
        method,
        headers,
        agent: this.#agent,
        timeout: patience(options.timeoutMs ?? 30_000),
      };
      const sent = request(new URL(path, this.url), settings, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const status = answer.statusCode ?? 0;
          if (status < 400) resolve(text);
          else reject(new ApiError(method, path, status, text));
        });
      });
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer in time`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async json(method: Method, path: string, options: RequestOptions = {}): Promise<unknown> {
    return JSON.parse(await this.text(method, path, options));
  }

  async object(method: Method, path: string, options: RequestOptions = {}): Promise<KubernetesObject> {
    const answer = await this.json(method, path, options);
    if (isObject(answer)) return answer;
    throw new Error(`${method} ${path}: the answer is no object of Kubernetes`);
  }

  /** What a watch says until the server ends it; give it a timeoutSeconds. */
  async watch(path: string): Promise<readonly unknown[]> {
    const said = await this.text("GET", path);
    return said
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line));
  }

  /** Ends its connections, so that the next request makes one to the server, and with the identity, of then. */
  disconnect(): void {
    this.#agent.destroy();
    this.#agent = this.#newAgent();
  }

  #newAgent(): Agent {
    return new Agent({ keepAlive: true, maxSockets: this.#connections, ...this.#identity() });
  }
}

export function isObject(value: unknown): value is KubernetesObject {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    typeof value.kind === "string" &&
    "metadata" in value &&
    typeof value.metadata === "object"
  );
}

function messageOf(answer: string): string {
  try {
    const status: unknown = JSON.parse(answer);
    if (typeof status === "object" && status !== null && "message" in status) return String(status.message);
  } catch {
    // Not every refusal is a Status: what it says is then the message.
  }
  return answer.trim();
}
