// What the API server says of itself: its version, and the time on its clock.

import { Field, Problems } from "../../model/reader.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOfAnswer } from "../transport/failure.ts";

export interface ServerAnswer {
  /** "v1.34.1"; null: it does not say. */
  readonly version: string | null;
  /** Milliseconds since 1970, by the `Date` of the answer, which has no fractions of a second; null: it does not say. */
  readonly timeMs: number | null;
}

/** Throws a Failure, or ApiUnreachable. */
export async function askServer(api: KubeApi): Promise<ServerAnswer> {
  const response = await api.request({ method: "GET", path: "/version" });
  if (response.status !== 200) throw failureOfAnswer(response);
  const { raw } = new Field(new Problems(), "", response.body).at("gitVersion");
  const timeMs = Date.parse(response.headers.get("date") ?? "");
  return { version: typeof raw === "string" ? raw : null, timeMs: Number.isNaN(timeMs) ? null : timeMs };
}
