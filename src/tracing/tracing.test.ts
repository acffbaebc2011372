import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "@jest/globals";
import { systemClock } from "../lib/clock.ts";
import type { LogFields } from "../lib/logger.ts";
import { silentLogger } from "../lib/logger.ts";
import { openTracing } from "./tracing.ts";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly intValue?: number } }[];
}

interface Posted {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly {
        readonly key: string;
        readonly value: { readonly stringValue?: string };
      }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A collector that answers with the status: OTLP over HTTP, as JSON. */
async function collector(status: number) {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push(JSON.parse(body) as Posted);
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, posted };
}

function opened(endpoint: string) {
  const logged: (readonly [string, LogFields | undefined])[] = [];
  const log = (message: string, fields?: LogFields): void => void logged.push([message, fields]);
  const tracing = openTracing({
    ...{ endpoint, version: "1.2.3", zone: "node-a", clock: systemClock },
    logger: { ...silentLogger, warn: log, info: log },
  });
  return { tracing, logged };
}

const milliseconds = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1_000_000n);

describe("traces", () => {
  test("a pass is a span, with the commits in it, in the times that they took", async () => {
    const { endpoint, posted } = await collector(200);
    const { tracing, logged } = opened(endpoint);
    tracing.committed(12, 30);
    tracing.committed(3, 10);
    tracing.passed(2, 50);
    tracing.passed(1, 5);
    await tracing.close();
    const [resource] = posted.flatMap(({ resourceSpans }) => resourceSpans);
    const named = resource?.resource.attributes.map(({ key, value }) => [key, value.stringValue]);
    expect(named).toEqual(
      expect.arrayContaining([
        ["service.name", "northgate"],
        ["service.version", "1.2.3"],
        ["northgate.zone", "node-a"],
      ]),
    );
    const spans = posted.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
    const told = spans.map(({ name, attributes, startTimeUnixNano, endTimeUnixNano }) => [
      name,
      ...attributes.map(({ key, value }) => `${key}=${value.intValue}`),
      milliseconds(endTimeUnixNano) - milliseconds(startTimeUnixNano),
    ]);
    expect(told).toEqual([
      ["commit", "northgate.operations=12", 30],
      ["commit", "northgate.operations=3", 10],
      ["pass", "northgate.keys=2", expect.any(Number)],
      ["pass", "northgate.keys=1", expect.any(Number)],
    ]);
    const [first, second, pass, alone] = spans;
    expect([first?.parentSpanId, second?.parentSpanId]).toEqual([pass?.spanId, pass?.spanId]);
    expect(new Set([first?.traceId, second?.traceId, pass?.traceId]).size).toBe(1);
    expect(alone?.traceId).not.toBe(pass?.traceId);
    expect(alone?.parentSpanId ?? "").toBe("");
    expect(logged).toEqual([]);
  });

  test("a pass without keys and without a commit is none", async () => {
    const { endpoint, posted } = await collector(200);
    const { tracing } = opened(endpoint);
    tracing.passed(0, 5);
    await tracing.close();
    expect(posted).toEqual([]);
  });

  test("a collector that refuses them is named in the log once, with what is lost", async () => {
    const { endpoint } = await collector(400);
    const { tracing, logged } = opened(endpoint);
    tracing.passed(1, 5);
    tracing.passed(1, 5);
    await tracing.close();
    expect(logged).toEqual([
      ["traces cannot be sent", { endpoint, lost: 2, reason: expect.stringMatching(/./) }],
    ]);
  });

  test("one that is away does not hold the end of the program", async () => {
    const { endpoint } = await collector(200);
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    const { tracing, logged } = opened(endpoint);
    tracing.passed(1, 5);
    await tracing.close();
    expect(logged.map(([message]) => message)).toEqual(["traces cannot be sent"]);
  });
});
