import { expect, test } from "@jest/globals";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { LogFields } from "../lib/logger.ts";
import { Reported } from "./reported.ts";

type Result = Parameters<Parameters<SpanExporter["export"]>[1]>[0];

const taken = JSON.parse('{"code":0}') as Result;
const refused: Result = { ...(JSON.parse('{"code":1}') as Result), error: new Error("refused") };

test("a failure is logged once in ten minutes, and that spans are sent again", () => {
  let now = 0;
  let code = 1;
  const logged: (readonly [string, LogFields | undefined])[] = [];
  const log = (message: string, fields?: LogFields): void => void logged.push([message, fields]);
  const inner: SpanExporter = {
    export: (_, done) => {
      done(code === 0 ? taken : refused);
    },
    shutdown: async () => {},
  };
  const endpoint = "http://collector";
  const reported = new Reported(inner, {
    endpoint,
    clock: { now: () => now },
    logger: { info: log, warn: log },
  });
  const codes: number[] = [];
  const send = (): void => {
    reported.export([{} as never], (result) => void codes.push(result.code));
  };
  send();
  now = 599_999;
  send();
  now = 600_000;
  send();
  code = 0;
  send();
  send();
  expect(codes).toEqual([1, 1, 1, 0, 0]);
  expect(logged).toEqual([
    ["traces cannot be sent", { endpoint, reason: "refused", lost: 1 }],
    ["traces cannot be sent", { endpoint, reason: "refused", lost: 3 }],
    ["traces are sent again", { endpoint, lost: 3 }],
  ]);
});
