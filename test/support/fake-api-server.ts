// An API server over HTTP or TLS on 127.0.0.1, as far as a reflector sees one: versions, pages, watches with bookmarks, a
// history that can be compacted, and every fault a test asks for. Refuses nothing; what it holds is what tests put there.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

interface Change {
  readonly collection: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** As JSON, like everything that is held: an object is written once, however often it is asked for. */
  readonly object: string;
  readonly revision: number;
}

/** What a test may answer instead of the truth. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  /** The connection ends before an answer. */
  | "reset"
  /** No answer ever comes. */
  | "hang"
  /** Half an answer comes. */
  | "half"
  /** The answer is one line that never ends. */
  | "endless";

export interface Asked {
  readonly collection: string;
  readonly watch: boolean;
  readonly query: URLSearchParams;
}

/** A watch that is under way. `write`: the text as it is. */
export interface Stream {
  readonly collection: string;
  write(text: string): void;
  bookmark(): void;
  error(code: number): void;
  /** In good order, as after timeoutSeconds. */
  end(): void;
  /** As when the network goes, in the middle of a line. */
  cut(): void;
  /** Half open from now on: nothing arrives and nobody is told. */
  freeze(): void;
}

const idOf = ({ metadata: { namespace = "", name } }: ApiObject) => `${namespace}/${name}`;

/** Where the CRD of a collection is; of "": where all are. */
export function definitionPath(collection: string): string {
  const [group, , resource] = collection.replace("/apis/", "").split("/");
  const name = resource === undefined ? "" : `${resource}.${group ?? ""}`;
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
}

export class FakeApiServer {
  readonly asked: Asked[] = [];
  /** Asked first about every request; null: the truth. */
  fault: (asked: Asked) => Fault | null = () => null;
  /** Collections that the server does not know. */
  readonly unknown = new Set<string>();
  /** Collections whose CRD is being deleted: nothing can be created in them. */
  readonly leaving = new Set<string>();
  /** Whether the CRDs themselves may be read. */
  definitions = true;
  readonly #server: Server;
  readonly #objects = new Map<string, Map<string, string>>();
  readonly #history: Change[] = [];
  readonly #answered = new Map<string, number>();
  readonly #live = new Map<Stream, (change: Change) => void>();
  readonly #pages = new Map<string, readonly string[]>();
  readonly #scheme: "http" | "https";
  #revision = 100;
  #oldest = 0;

  /** `tls`: a certificate and its key, in PEM; without it, plain HTTP. */
  constructor(tls: { readonly cert: string; readonly key: string } | null = null) {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response);
    };
    this.#scheme = tls === null ? "http" : "https";
    this.#server = tls === null ? createServer(answer) : createTlsServer(tls, answer);
  }

  async start(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    return new URL(`${this.#scheme}://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  put(collection: string, object: ApiObject): void {
    const held = this.#held(collection);
    const type = held.has(idOf(object)) ? "MODIFIED" : "ADDED";
    const stored = this.#stamped(object);
    held.set(idOf(object), stored);
    this.#tell({ collection, type, object: stored, revision: this.#revision });
  }

  remove(collection: string, object: ApiObject): void {
    const held = this.#held(collection);
    const last = held.get(idOf(object));
    if (last === undefined) return;
    held.delete(idOf(object));
    const stored = this.#stamped(JSON.parse(last) as ApiObject);
    this.#tell({ collection, type: "DELETED", object: stored, revision: this.#revision });
  }

  objects(collection: string): readonly ApiObject[] {
    return [...this.each(collection)];
  }

  /** Each as it is when it is reached. */
  *each(collection: string): Generator<ApiObject, void> {
    for (const text of this.#held(collection).values()) yield JSON.parse(text) as ApiObject;
  }

  /** Versions before the present are forgotten, and continuations with them. */
  compact(): void {
    this.#revision++;
    this.#oldest = this.#revision;
    this.#history.length = 0;
    this.#pages.clear();
  }

  /** The data are those of a backup: versions begin before those that were told, and nothing is told of the change. */
  restore(objects: ReadonlyMap<string, readonly ApiObject[]>): void {
    this.#revision = 50;
    this.#history.length = 0;
    this.#objects.clear();
    for (const [collection, list] of objects)
      for (const object of list) this.#held(collection).set(idOf(object), this.#stamped(object));
  }

  /** Watches that were answered with 200 so far. */
  answered(collection: string): number {
    return this.#answered.get(collection) ?? 0;
  }

  streams(collection?: string): readonly Stream[] {
    return [...this.#live.keys()].filter(
      (stream) => collection === undefined || stream.collection === collection,
    );
  }

  count(collection: string, watch: boolean): number {
    return this.asked.filter((asked) => asked.collection === collection && asked.watch === watch).length;
  }

  #held(collection: string): Map<string, string> {
    const held = this.#objects.get(collection) ?? new Map<string, string>();
    this.#objects.set(collection, held);
    return held;
  }

  #stamped(object: ApiObject): string {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#revision) };
    return JSON.stringify({ ...object, metadata });
  }

  #tell(change: Change): void {
    this.#history.push(change);
    for (const send of this.#live.values()) send(change);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const asked = {
      collection: url.pathname,
      watch: url.searchParams.get("watch") === "true",
      query: url.searchParams,
    };
    this.asked.push(asked);
    const fault = this.fault(asked);
    if (fault !== null) fail(response, fault);
    else if (this.unknown.has(asked.collection))
      fail(response, { status: 404, body: status(404, "not found") });
    else if (asked.collection.startsWith(definitionPath(""))) this.#define(response, asked);
    else if (/^\/apis\/[^/]+\/[^/]+$/.test(asked.collection)) this.#discover(response, asked);
    else if (asked.watch) this.#watch(response, asked);
    else this.#list(response, asked);
  }

  /** The CRD of a collection, which is there as long as the collection is. */
  #define(response: ServerResponse, { collection: path }: Asked): void {
    const isOfIt = (collection: string) => definitionPath(collection) === path;
    if (!this.definitions) fail(response, { status: 403, body: status(403, "forbidden") });
    else if ([...this.unknown].some(isOfIt)) fail(response, { status: 404, body: status(404, "not found") });
    else {
      const leaves = [...this.leaving].some(isOfIt);
      const metadata = leaves ? { deletionTimestamp: "2026-11-22T08:00:00Z" } : {};
      send(response, 200, { kind: "CustomResourceDefinition", metadata });
    }
  }

  /** What can be done with the collections of a group that somebody has asked for. */
  #discover(response: ServerResponse, { collection: group }: Asked): void {
    const collections = new Set(this.asked.map(({ collection }) => collection));
    const served = [...collections].filter(
      (collection) => collection.startsWith(`${group}/`) && !this.unknown.has(collection),
    );
    const reading = ["delete", "deletecollection", "get", "list", "watch"];
    const resources = served.map((collection) => ({
      name: collection.slice(group.length + 1),
      verbs: this.leaving.has(collection) ? reading : [...reading, "create", "patch", "update"],
    }));
    send(response, 200, { kind: "APIResourceList", resources });
  }

  #list(response: ServerResponse, { collection, query }: Asked): void {
    const token = query.get("continue");
    const limit = Number(query.get("limit"));
    const [revision = "", offset = "0"] = token?.split(":") ?? [String(this.#revision)];
    const page = `${collection}@${revision}`;
    const snapshot = token === null ? [...this.#held(collection).values()] : this.#pages.get(page);
    if (snapshot === undefined) {
      fail(response, { status: 410, body: status(410, "the continue parameter is too old") });
      return;
    }
    this.#pages.set(page, snapshot);
    const next = Number(offset) + limit;
    const items = snapshot.slice(Number(offset), next).join();
    const more = next < snapshot.length ? { continue: `${revision}:${next}` } : {};
    const metadata = JSON.stringify({ resourceVersion: revision, ...more });
    sendText(response, 200, `{"kind":"List","metadata":${metadata},"items":[${items}]}`);
  }

  #watch(response: ServerResponse, { collection, query }: Asked): void {
    const from = Number(query.get("resourceVersion"));
    response.writeHead(200, { "Content-Type": "application/json" }).flushHeaders();
    this.#answered.set(collection, this.answered(collection) + 1);
    if (from < this.#oldest) {
      response.end(`${JSON.stringify({ type: "ERROR", object: status(410, "too old resource version") })}\n`);
      return;
    }
    const write = (type: string, object: unknown) => response.write(`${JSON.stringify({ type, object })}\n`);
    const deliver = ({ type, object, ...change }: Change) => {
      if (change.collection === collection && change.revision > from)
        response.write(`{"type":"${type}","object":${object}}\n`);
    };
    const quit = () => this.#live.delete(stream);
    const stream: Stream = {
      collection,
      write: (text) => response.write(text),
      bookmark: () => write("BOOKMARK", { metadata: { resourceVersion: String(this.#revision) } }),
      error: (code) => write("ERROR", status(code, "an error in the stream")),
      end: () => quit() && response.end(),
      cut: () =>
        quit() &&
        response.write('{"type":"ADDED","object":{"metadata":{"name":"ha', () => response.destroy()),
      freeze: quit,
    };
    response.on("close", quit);
    this.#live.set(stream, deliver);
    for (const change of this.#history) deliver(change);
  }
}

function status(code: number, message: string): object {
  return { kind: "Status", status: "Failure", code, message };
}

function send(response: ServerResponse, code: number, body: unknown, headers = {}): void {
  sendText(response, code, JSON.stringify(body), headers);
}

function sendText(response: ServerResponse, code: number, text: string, headers = {}): void {
  response.writeHead(code, { "Content-Type": "application/json", ...headers }).end(text);
}

function fail(response: ServerResponse, fault: Fault): void {
  if (fault === "hang") return;
  if (fault === "reset") response.destroy();
  else if (fault === "half") {
    response.writeHead(200, { "Content-Length": 1000 });
    response.write('{"metadata":{"resourceVersion":"7"},"items":[', () => response.destroy());
  } else if (fault === "endless") {
    const piece = "7,".repeat(2 ** 19);
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.writeHead(200).write('{"metadata":{"resourceVersion":"7"},"items":[');
    response.on("drain", more);
    more();
  } else send(response, fault.status, fault.body ?? status(fault.status, "no"), fault.headers);
}
