// How the fake API server answers once: with a Status, with a text, or with the fault that a test wants.

import type { ServerResponse } from "node:http";
import { type Answers, asJson } from "./protobuf/served.ts";

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

export function status(code: number, message: string): object {
  return { kind: "Status", status: "Failure", code, message };
}

export function send(response: ServerResponse, code: number, body: unknown, headers = {}): void {
  sendText(response, code, JSON.stringify(body), headers);
}

export function sendText(response: ServerResponse, code: number, text: string | Buffer, headers = {}): void {
  response.writeHead(code, { "Content-Type": "application/json", ...headers }).end(text);
}

export function fail(response: ServerResponse, fault: Fault, answers: Answers = asJson): void {
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
  } else {
    const body = fault.body ?? status(fault.status, "no");
    const isStatus = typeof body === "object" && "kind" in body && body.kind === "Status";
    const { contentType, status: write } = isStatus ? answers : asJson;
    sendText(response, fault.status, write(body), { "Content-Type": contentType, ...fault.headers });
  }
}
