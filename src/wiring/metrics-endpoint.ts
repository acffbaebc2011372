// The metrics server that the config wants, and its gate. Reviews of tokens go over connections of their own: a slow review
// holds up no watch, and tokens are reviewed also while no source is followed.

import type { MetricsAuth, MetricsConfig } from "../config/metrics.ts";
import type { AccessVerdict } from "../kube/index.ts";
import { AccessReviews, HttpApi, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Gate, Refusal } from "../metrics/gate.ts";
import { certificateGate } from "../metrics/gate.ts";
import type { Checks, MetricsServerOptions } from "../metrics/server.ts";
import { serveMetrics } from "../metrics/server.ts";

interface OpenedGate {
  /** null: everyone may read. */
  readonly gate: Gate | null;
  readonly close: () => void;
}

export interface Endpoint {
  close(): Promise<void>;
}

/** null: no server is wanted. Rejects with one line when a file, the kubeconfig or the address cannot be used. */
export async function openEndpoint(
  config: MetricsConfig | null,
  registry: MetricsServerOptions["registry"],
  checks: Checks,
  logger: Logger,
): Promise<Endpoint | null> {
  if (config === null) return null;
  const { host, port, auth } = config;
  const { gate, close } = await openGate(auth);
  try {
    const clientCa = auth.kind === "certificate" ? auth.clientCa : null;
    const tls = config.tls === null ? null : { ...config.tls, clientCa };
    const server = await serveMetrics({
      host,
      port,
      registry,
      checks,
      tls,
      gate,
      clock: systemClock,
      logger,
    });
    logger.info("metrics are served", { address: server.address });
    return {
      close: async () => {
        await server.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Less than a connection of the metrics server may last. */
const reviewTimeouts = { credentialsMs: 5_000, connectMs: 3_000, answerMs: 5_000, idleMs: 5_000 };

async function openGate(auth: MetricsAuth): Promise<OpenedGate> {
  if (auth.kind !== "token") {
    return { gate: auth.kind === "none" ? null : certificateGate, close: () => undefined };
  }
  const credentials = await openKubeconfig({ path: auth.kubeconfig });
  const api = new HttpApi({ credentials, clock: systemClock, timeouts: reviewTimeouts });
  const reviews = new AccessReviews({ api, clock: systemClock, path: "/metrics" });
  return {
    gate: tokenGate((token) => reviews.mayGet(token)),
    close: () => {
      api.close();
    },
  };
}

/** RFC 6750, section 2.1. */
const bearer = /^Bearer ([\w\-.~+/]+=*)$/i;

function tokenGate(review: (token: string) => Promise<AccessVerdict>): Gate {
  return async ({ headers }): Promise<Refusal> => {
    const [, token] = bearer.exec(headers.authorization ?? "") ?? [];
    if (token === undefined) return { status: 401, line: "a bearer token is needed" };
    const verdict = await review(token);
    switch (verdict.kind) {
      case "allowed":
        return null;
      case "unknown":
        return { status: 401, line: "the API server does not know this token" };
      case "forbidden":
        return { status: 403, line: `${verdict.user} may not get /metrics` };
      case "unavailable":
        return { status: 503, line: "the token could not be reviewed", reason: verdict.reason };
    }
  };
}
