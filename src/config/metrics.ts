// The settings of the metrics server: where, with which certificate, and who may read. Refuses what would look protected
// and is not: half a pair of files, a client CA that nothing asks for, tokens that would travel without TLS.

import { metricsReaders } from "./choices.ts";
import type { HostPort } from "./host-port.ts";
import { parseHostPort } from "./host-port.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
  /** Paths of PEM files; null: plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  readonly auth: MetricsAuth;
}

export type MetricsAuth =
  | { readonly kind: "none" }
  /** A client certificate that an authority in this PEM file has signed. Only with TLS. */
  | { readonly kind: "certificate"; readonly clientCa: string }
  /** A bearer token that the API server knows and lets read; kubeconfig as for the source. */
  | { readonly kind: "token"; readonly kubeconfig: string | null };

type Flag = "metrics-bind-address" | "metrics-cert" | "metrics-key" | "metrics-client-ca" | "metrics-auth";

/** The API server that objects come from; null: they come from elsewhere. */
interface Cluster {
  readonly kubeconfig: string | null;
}

/** null: no server. */
export function parseMetrics(value: (flag: Flag) => Value, cluster: Cluster | null): MetricsConfig | null {
  const bind = parseBind(value("metrics-bind-address"));
  const [certificate, key] = [value("metrics-cert"), value("metrics-key")];
  if ((certificate.text === "") !== (key.text === "")) {
    const { from } = certificate.text === "" ? key : certificate;
    throw new UsageError(`${from}: --metrics-cert and --metrics-key are needed together`);
  }
  const tls = certificate.text === "" ? null : { certificate: certificate.text, key: key.text };
  const auth = parseAuth(value, cluster);
  if (bind === null) return null;
  const { from } = value("metrics-auth");
  if (auth.kind === "certificate" && tls === null) {
    throw new UsageError(`${from}: certificate needs --metrics-cert and --metrics-key`);
  }
  if (auth.kind === "token" && tls === null && !isLoopback(bind.host)) {
    throw new UsageError(
      `${from}: token needs --metrics-cert and --metrics-key, or tokens would travel in the clear to ${bind.host}`,
    );
  }
  return { ...bind, tls, auth };
}

function parseAuth(value: (flag: Flag) => Value, cluster: Cluster | null): MetricsAuth {
  const [said, clientCa] = [value("metrics-auth"), value("metrics-client-ca")];
  const kind = metricsReaders.find((reader) => reader === said.text) ?? "none";
  if (kind !== "certificate" && clientCa.text !== "") {
    throw new UsageError(
      `${clientCa.from}: no client is asked for a certificate without --metrics-auth certificate`,
    );
  }
  switch (kind) {
    case "none":
      return { kind };
    case "certificate":
      if (clientCa.text === "") throw new UsageError(`${said.from}: certificate needs --metrics-client-ca`);
      return { kind, clientCa: clientCa.text };
    case "token":
      if (cluster === null) {
        throw new UsageError(`${said.from}: token needs --source kube: the API server says whose a token is`);
      }
      return { kind, kubeconfig: cluster.kubeconfig };
  }
}

/** null: off. */
function parseBind(value: Value): HostPort | null {
  if (value.text === "off") return null;
  return parseHostPort(value, "0.0.0.0", " or off");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
