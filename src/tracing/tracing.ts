// Traces by OpenTelemetry, sent over OTLP/HTTP: a span for each pass of the loop, and in it one for each commit. What is sent is
// made of what the metrics count too, after it has happened: a collector that is slow or away delays nothing, and spans that it
// does not take in time are dropped.

import { context, SpanKind, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Tracing } from "./contract.ts";
import { Reported } from "./reported.ts";

export interface TracingOptions {
  /** Where spans are posted, with its path: http://collector:4318/v1/traces for one. */
  readonly endpoint: string;
  readonly version: string;
  /** null: every pod is local. */
  readonly zone: string | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A collector that does not answer holds what waits for it no longer than this, in milliseconds; also when the program ends. */
const patienceMs = 2_000;
/** At a start and beside a busy cluster: what is more than this is dropped, so that memory is bounded. */
const mostWaiting = 2_048;

interface Commit {
  readonly operations: number;
  readonly began: number;
  readonly ended: number;
}

export function openTracing(options: TracingOptions): Tracing {
  const { endpoint, clock, logger } = options;
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: patienceMs });
  return tracingTo(new Reported(exporter, { endpoint, clock, logger }), options);
}

/** For tests too, with an exporter of theirs. */
export function tracingTo(
  exporter: SpanExporter,
  { version, zone }: Pick<TracingOptions, "version" | "zone">,
): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "northgate",
      "service.version": version,
      ...(zone === null ? {} : { "northgate.zone": zone }),
    }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: mostWaiting, exportTimeoutMillis: patienceMs }),
    ],
  });
  const tracer = provider.getTracer("northgate", version);
  let commits: Commit[] = [];
  return {
    committed(operations, milliseconds) {
      const ended = Date.now();
      commits.push({ operations, began: ended - milliseconds, ended });
    },
    passed(keys, milliseconds) {
      const within = commits;
      commits = [];
      // A pass that found nothing to do says nothing to anybody.
      if (keys === 0 && within.length === 0) return;
      const ended = Date.now();
      const began = Math.min(ended - milliseconds, ...within.map((one) => one.began));
      const pass = tracer.startSpan("pass", { startTime: began, attributes: { "northgate.keys": keys } });
      const inside = trace.setSpan(context.active(), pass);
      for (const { operations, began: startTime, ended: endTime } of within) {
        const attributes = { "northgate.operations": operations };
        tracer.startSpan("commit", { startTime, kind: SpanKind.CLIENT, attributes }, inside).end(endTime);
      }
      pass.end(ended);
    },
    async close() {
      await provider.shutdown().catch(() => {
        // What could not be sent was reported already.
      });
    },
  };
}
