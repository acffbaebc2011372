// Failures of a list or a watch, in the few kinds that are handled differently, each with a sentence for people.

import { printable } from "../../model/quote.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { ApiResponse } from "./api.ts";
import { ApiOversized, ApiUnreachable, retryAfterMs } from "./api.ts";

/**
 * - `forbidden`, `unauthorized`, `missing`: an operator must act
 * - `expired`: the server has compacted the requested version
 * - `unavailable`: the server or the way to it is in trouble, or the server asks to wait
 * - `refused`: the server does not accept the request as it is
 * - `malformed`: the answer cannot be parsed
 * - `oversized`: the answer is longer than is read
 */
export type FailureKind =
  | "forbidden"
  | "unauthorized"
  | "missing"
  | "expired"
  | "unavailable"
  | "refused"
  | "malformed"
  | "oversized";

export class Failure extends Error {
  override readonly name = "Failure";
  readonly kind: FailureKind;
  /** How long the server asks us to wait; null when it does not ask. */
  readonly retryAfterMs: number | null;

  constructor(kind: FailureKind, sentence: string, retryAfter: number | null = null) {
    super(sentence);
    this.kind = kind;
    this.retryAfterMs = retryAfter;
  }
}

/** The Failure that was thrown; null for any other error, which must end the program. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  if (!(error instanceof ApiUnreachable)) return null;
  const kind = error instanceof ApiOversized ? "oversized" : "unavailable";
  return new Failure(kind, printable(error.message, 300));
}

/** For an answer other than 200. */
export function failureOfAnswer({ status, headers, body }: ApiResponse): Failure {
  const message = new Field(new Problems(), "", body).at("message").raw;
  return failureOfStatus(status, typeof message === "string" ? message : "", retryAfterMs(headers));
}

/** For a Status object in a stream. */
export function failureOfEvent(object: Field): Failure {
  const code = object.at("code").raw;
  const message = object.at("message").raw;
  const seconds = object.at("details").at("retryAfterSeconds").raw;
  return failureOfStatus(
    typeof code === "number" ? code : 500,
    typeof message === "string" ? message : "",
    typeof seconds === "number" ? seconds * 1000 : null,
  );
}

function failureOfStatus(status: number, message: string, retryAfter: number | null): Failure {
  const said = message === "" ? "" : `: ${printable(message, 300)}`;
  switch (status) {
    case 401:
      return new Failure("unauthorized", `the API server does not accept our credentials (401${said})`);
    case 403:
      return new Failure("forbidden", `the API server forbids it (403${said})`);
    case 404:
      return new Failure("missing", "the API server does not know this resource (CRD missing?)");
    case 410:
      return new Failure("expired", `the requested version has expired (410${said})`);
    case 408:
    case 429:
      return new Failure("unavailable", `the API server asks to retry later (${status}${said})`, retryAfter);
    default:
      if (status < 500)
        return new Failure("refused", `the API server refuses the request (${status}${said})`);
      return new Failure(
        "unavailable",
        `the API server has an internal error (${status}${said})`,
        retryAfter,
      );
  }
}
