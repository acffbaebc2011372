// A paginated list: every page goes to `absorb` as it comes, and what comes back is the version the whole list shows. A
// list without a version asked for is the present, never an old replica's idea of it.

import { Field, Problems } from "../../model/reader.ts";
import type { KubeApi } from "../transport/api.ts";
import { Failure, failureOfAnswer } from "../transport/failure.ts";

export interface ListRequest {
  readonly api: KubeApi;
  readonly path: string;
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** Called before each request. */
  readonly asked: () => void;
  readonly absorb: (object: unknown) => void;
}

/** Throws a Failure; `expired` when the pages took longer than the server remembers. */
export async function list({ api, path, pageSize, signal, asked, absorb }: ListRequest): Promise<string> {
  let continuation = "";
  for (;;) {
    asked();
    const query = { limit: String(pageSize), ...(continuation === "" ? {} : { continue: continuation }) };
    const response = await api.request({ method: "GET", path, query, signal });
    if (response.status !== 200) throw failureOfAnswer(response);
    const page = new Field(new Problems(), "", response.body);
    const version = textAt(page, "resourceVersion");
    const items = page.at("items");
    // A list of nothing is written as null by some servers; an answer without `items` is no list.
    if (version === "" || !(Array.isArray(items.raw) || items.raw === null))
      throw new Failure("malformed", "the answer to a list is none");
    for (const item of items.items()) absorb(item.raw);
    continuation = textAt(page, "continue");
    if (continuation === "") return version;
  }
}

function textAt(page: Field, name: string): string {
  const { raw } = page.at("metadata").at(name);
  return typeof raw === "string" ? raw : "";
}
