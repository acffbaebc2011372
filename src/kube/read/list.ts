// A paginated list: each page is passed to `absorb` when it arrives, and the result is the version of the whole list. A
// list without a requested version is the present state, never an old one from a replica's cache.

import { Field, Problems } from "../../model/reader.ts";
import type { ObjectShape } from "../protobuf/envelope.ts";
import { MalformedBytes } from "../../protobuf/wire.ts";
import type { KubeApi } from "../transport/api.ts";
import { Failure, failureOfAnswer } from "../transport/failure.ts";

export interface ListRequest {
  readonly api: KubeApi;
  readonly path: string;
  /** As of an ApiRequest. */
  readonly shape?: ObjectShape | null;
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** Called before each request. */
  readonly asked: () => void;
  /** Called after each request that was answered with 200. */
  readonly answered?: () => void;
  readonly absorb: (object: unknown) => void;
}

/** Throws a Failure; `expired` when the server compacted the version before the last page. */
export async function list(request: ListRequest): Promise<string> {
  const { api, path, shape = null, pageSize, signal, asked, answered, absorb } = request;
  let continuation = "";
  for (;;) {
    asked();
    const query = { limit: String(pageSize), ...(continuation === "" ? {} : { continue: continuation }) };
    const read = { asList: true, ...(shape === null ? {} : { shape }) } as const;
    const response = await api.request({ method: "GET", path, query, signal, ...read });
    if (response.status !== 200) throw failureOfAnswer(response);
    answered?.();
    const page = new Field(new Problems(), "", response.body);
    const version = textAt(page, "resourceVersion");
    const items = page.at("items");
    // Some servers write an empty list as null; an answer without `items` is no list.
    if (version === "" || !(Array.isArray(items.raw) || items.raw === null))
      throw new Failure("malformed", "the answer to a list is none");
    for (const item of parsed(response.items ?? items.items().map(({ raw }) => raw))) absorb(item);
    const next = textAt(page, "continue");
    if (next === "") return version;
    if (next === continuation)
      throw new Failure("malformed", "a list continues where it was continued before");
    continuation = next;
  }
}

/** Those before one that cannot be read are read: each is an object of the server's. */
function* parsed(items: Iterable<unknown>): Generator<unknown, void> {
  try {
    yield* items;
  } catch (error) {
    if (error instanceof SyntaxError) throw new Failure("malformed", "an item of a list is not JSON");
    if (!(error instanceof MalformedBytes)) throw error;
    throw new Failure("malformed", `an item of a list is not protobuf: ${error.message}`);
  }
}

function textAt(page: Field, name: string): string {
  const { raw } = page.at("metadata").at(name);
  return typeof raw === "string" ? raw : "";
}
