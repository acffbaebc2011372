// An API server over HTTP or TLS on 127.0.0.1, as far as a reflector sees one: versions, pages, watches with bookmarks, a
// history that can be compacted, JSON and on request protobuf, and every fault a test asks for. Refuses nothing; what it holds is what tests put there.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type Fault, fail, send, sendText, status } from "./fake-answers.ts";
import { type Answers, asJson, type ProtobufForms, type Stored } from "./protobuf/served.ts";

export type { Fault } from "./fake-answers.ts";

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
  /** Written once, like everything that is held, however often it is asked for. */
  readonly object: Stored;
  readonly revision: number;
}

export interface Asked {
  readonly collection: string;
  readonly watch: boolean;
  readonly query: URLSearchParams;
  /** The header. */
  readonly accept: string;
}

/** A watch that is under way. `write`: the text or the bytes as they are. */
export interface Stream {
  readonly collection: string;
  write(text: string | Buffer): void;
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
  readonly #protobuf: ProtobufForms | null;
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #history: Change[] = [];
  readonly #answered = new Map<string, number>();
  readonly #live = new Map<Stream, (change: Change) => void>();
  readonly #pages = new Map<string, readonly Stored[]>();
  readonly #scheme: "http" | "https";
  #revision = 100;
  #oldest = 0;

  /** `tls`: a certificate and its key, in PEM; without it, plain HTTP. `protobuf`: null: everything is JSON, as of a CRD. */
  constructor(
    tls: { readonly cert: string; readonly key: string } | null = null,
    protobuf: ProtobufForms | null = null,
  ) {
    this.#protobuf = protobuf;
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
    const stored = this.#stamped(collection, object);
    held.set(idOf(object), stored);
    this.#tell({ collection, type, object: stored, revision: this.#revision });
  }

  remove(collection: string, object: ApiObject): void {
    const held = this.#held(collection);
    const last = held.get(idOf(object));
    if (last === undefined) return;
    held.delete(idOf(object));
    const stored = this.#stamped(collection, JSON.parse(last.json) as ApiObject);
    this.#tell({ collection, type: "DELETED", object: stored, revision: this.#revision });
  }

  objects(collection: string): readonly ApiObject[] {
    return [...this.each(collection)];
  }

  /** Each as it is when it is reached. */
  *each(collection: string): Generator<ApiObject, void> {
    for (const { json } of this.#held(collection).values()) yield JSON.parse(json) as ApiObject;
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
      for (const object of list) this.#held(collection).set(idOf(object), this.#stamped(collection, object));
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

  #held(collection: string): Map<string, Stored> {
    const held = this.#objects.get(collection) ?? new Map<string, Stored>();
    this.#objects.set(collection, held);
    return held;
  }

  #stamped(collection: string, object: ApiObject): Stored {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#revision) };
    const stamped = { ...object, metadata };
    return { json: JSON.stringify(stamped), message: this.#protobuf?.stored(collection, stamped) ?? null };
  }

  /** In which form a request is answered. */
  #answers({ collection, accept }: Asked): Answers {
    const isAsked = accept.startsWith("application/vnd.kubernetes.protobuf");
    return (isAsked ? this.#protobuf?.of(collection) : null) ?? asJson;
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
      accept: request.headers.accept ?? "",
    };
    this.asked.push(asked);
    const fault = this.fault(asked);
    if (fault !== null) fail(response, fault, this.#answers(asked));
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

  #list(response: ServerResponse, asked: Asked): void {
    const { collection, query } = asked;
    const answers = this.#answers(asked);
    const token = query.get("continue");
    const limit = Number(query.get("limit"));
    const [revision = "", offset = "0"] = token?.split(":") ?? [String(this.#revision)];
    const page = `${collection}@${revision}`;
    const snapshot = token === null ? [...this.#held(collection).values()] : this.#pages.get(page);
    if (snapshot === undefined) {
      fail(response, { status: 410, body: status(410, "the continue parameter is too old") }, answers);
      return;
    }
    this.#pages.set(page, snapshot);
    const next = Number(offset) + limit;
    const items = snapshot.slice(Number(offset), next);
    const more = next < snapshot.length ? { continue: `${revision}:${next}` } : {};
    const body = answers.list({ resourceVersion: revision, ...more }, items);
    sendText(response, 200, body, { "Content-Type": answers.contentType });
  }

  #watch(response: ServerResponse, asked: Asked): void {
    const { collection, query } = asked;
    const answers = this.#answers(asked);
    const from = Number(query.get("resourceVersion"));
    response.writeHead(200, { "Content-Type": answers.streamType }).flushHeaders();
    this.#answered.set(collection, this.answered(collection) + 1);
    if (from < this.#oldest) {
      response.end(answers.error(status(410, "too old resource version")));
      return;
    }
    const deliver = ({ type, object, ...change }: Change) => {
      if (change.collection === collection && change.revision > from)
        response.write(answers.event(type, object));
    };
    const quit = () => this.#live.delete(stream);
    const stream: Stream = {
      collection,
      write: (text) => response.write(text),
      bookmark: () => response.write(answers.bookmark(String(this.#revision))),
      error: (code) => response.write(answers.error(status(code, "an error in the stream"))),
      end: () => quit() && response.end(),
      cut: () => quit() && response.write(answers.half, () => response.destroy()),
      freeze: quit,
    };
    response.on("close", quit);
    this.#live.set(stream, deliver);
    for (const change of this.#history) deliver(change);
  }
}
