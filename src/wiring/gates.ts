// Who may read what a server of ours shows, as its settings say. Reviews of tokens go over connections of their own: a slow review
// holds up no watch, and tokens are reviewed also while no source is followed.

import type { AccessConfig, ReaderConfig } from "../config/access.ts";
import type { CertificateFiles } from "../http/certificate.ts";
import type { Gate, Refusal } from "../http/gate.ts";
import { certificateGate } from "../http/gate.ts";
import type { AccessVerdict } from "../kube/index.ts";
import { AccessReviews, HttpApi, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";

/** The certificate of a server of ours, and its readers. */
export interface Access {
  /** null: everyone may read. */
  readonly gate: Gate | null;
  /** null: plain HTTP. */
  readonly tls: CertificateFiles | null;
}

export interface GatedServer {
  /** scheme://host:port, and a path where the server has one. */
  readonly address: string;
  close(): Promise<void>;
}

interface OpenedGate {
  readonly gate: Access["gate"];
  readonly close: () => void;
}

/** Less than a connection of a server of ours may last. */
const reviewTimeouts = { credentialsMs: 5_000, connectMs: 3_000, answerMs: 5_000, idleMs: 5_000 };

/**
 * Opens a gate and the server behind it. The gate is closed after the server, and when `serve` rejects. `path`: the nonresource
 * URL that a token's user must be allowed to get. Rejects when the kubeconfig cannot be used.
 */
export async function openGated<Server extends GatedServer>(
  config: AccessConfig,
  path: string,
  serve: (access: Access) => Promise<Server>,
): Promise<Server> {
  const { gate, close } = await openGate(config.auth, path);
  try {
    const server = await serve({ gate, tls: certificatesOf(config) });
    return {
      ...server,
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

function certificatesOf({ tls, auth }: AccessConfig): CertificateFiles | null {
  return tls === null ? null : { ...tls, clientCa: auth.kind === "certificate" ? auth.clientCa : null };
}

async function openGate(auth: ReaderConfig, path: string): Promise<OpenedGate> {
  if (auth.kind !== "token") {
    return { gate: auth.kind === "none" ? null : certificateGate, close: () => undefined };
  }
  const credentials = await openKubeconfig({ path: auth.kubeconfig, context: auth.context });
  const api = new HttpApi({ credentials, clock: systemClock, timeouts: reviewTimeouts });
  const reviews = new AccessReviews({ api, clock: systemClock, path });
  return {
    gate: tokenGate(path, (token) => reviews.mayGet(token)),
    close: () => {
      api.close();
    },
  };
}

/** RFC 6750, section 2.1. */
const bearer = /^Bearer ([\w\-.~+/]+=*)$/i;

function tokenGate(path: string, review: (token: string) => Promise<AccessVerdict>): Gate {
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
        return { status: 403, line: `${verdict.user} may not get ${path}` };
      case "unavailable":
        return { status: 503, line: "the token could not be reviewed", reason: verdict.reason };
    }
  };
}
