// Objects as the server says them, and texts that it serves, for a bundle: of any kind, without a parser of ours.

import type { ObjectKind } from "../../../model/object.ts";
import type { KubeApi } from "../../transport/api.ts";
import { failureOfAnswer } from "../../transport/failure.ts";
import { collectionPath } from "../../transport/paths.ts";
import { defaultTiming } from "../../transport/timing.ts";
import { list } from "../list.ts";

type Located = Pick<ObjectKind, "group" | "version" | "resource">;

/** Each object of the kind, of every namespace, when its page arrives. Throws a Failure. */
export async function eachObject(
  api: KubeApi,
  kind: Located,
  absorb: (object: unknown) => void,
): Promise<void> {
  await list({
    ...{ api, path: collectionPath(kind), pageSize: defaultTiming.pageSize, absorb },
    ...{ signal: new AbortController().signal, asked: () => undefined },
  });
}

/** The Pods of a namespace with these labels. Throws a Failure, or ApiUnreachable. */
export async function listPods(
  api: KubeApi,
  namespace: string,
  labelSelector: string,
): Promise<readonly unknown[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const response = await api.request({ method: "GET", path, query: { labelSelector, limit: "500" } });
  if (response.status !== 200) throw failureOfAnswer(response);
  const { items } = response.body as { readonly items?: unknown };
  return Array.isArray(items) ? (items as readonly unknown[]) : [];
}

/** A log, or what a proxy answers. Throws a Failure, or ApiUnreachable. */
export async function getText(
  api: KubeApi,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await api.request({ method: "GET", path, query });
  if (response.status !== 200) throw failureOfAnswer(response);
  // One line of JSON is an answer in JSON.
  if (response.body === null) return "";
  return typeof response.body === "string" ? response.body : `${JSON.stringify(response.body)}\n`;
}
