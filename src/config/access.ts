// The settings of a server of ours that other machines may reach: its certificate, and its readers. Refuses what would look
// protected and is not: half a pair of files, a client CA that nothing asks for, tokens that would travel without TLS.

import { serverReaders } from "./choices.ts";
import { isLoopback } from "../model/loopback.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

export interface AccessConfig {
  /** Paths of PEM files; null: plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  readonly auth: ReaderConfig;
}

export type ReaderConfig =
  | { readonly kind: "none" }
  /** A client certificate that an authority in this PEM file has signed. Only with TLS. */
  | { readonly kind: "certificate"; readonly clientCa: string }
  /** A bearer token that the API server authenticates and authorizes; the rest as for the source. */
  | { readonly kind: "token"; readonly kubeconfig: string | null; readonly context: string | null };

/** What the flags of a server begin with. */
export type ServerFlags = "metrics" | "ui";
export type AccessFlag<S extends ServerFlags> = `${S}-cert` | `${S}-key` | `${S}-client-ca` | `${S}-auth`;

/** The API server that objects are read from; null: they are read elsewhere. */
export interface Cluster {
  readonly kubeconfig: string | null;
  readonly context?: string | null;
}

/** `host`: where the server listens; null: nowhere. */
export function parseAccess<S extends ServerFlags>(
  server: S,
  value: (flag: AccessFlag<S>) => Value,
  cluster: Cluster | null,
  host: string | null,
): AccessConfig {
  const [certificate, key] = [value(`${server}-cert`), value(`${server}-key`)];
  const pair = `--${server}-cert and --${server}-key`;
  if ((certificate.text === "") !== (key.text === "")) {
    const { from } = certificate.text === "" ? key : certificate;
    throw new UsageError(`${from}: ${pair} are needed together`);
  }
  const tls = certificate.text === "" ? null : { certificate: certificate.text, key: key.text };
  const auth = parseReaders(server, value, cluster);
  if (tls !== null || host === null) return { tls, auth };
  const { from } = value(`${server}-auth`);
  if (auth.kind === "certificate") throw new UsageError(`${from}: certificate needs ${pair}`);
  if (auth.kind === "token" && !isLoopback(host)) {
    throw new UsageError(`${from}: token needs ${pair}, or tokens would travel in the clear to ${host}`);
  }
  return { tls, auth };
}

function parseReaders<S extends ServerFlags>(
  server: S,
  value: (flag: AccessFlag<S>) => Value,
  cluster: Cluster | null,
): ReaderConfig {
  const [said, clientCa] = [value(`${server}-auth`), value(`${server}-client-ca`)];
  const kind = serverReaders.find((reader) => reader === said.text) ?? "none";
  if (kind !== "certificate" && clientCa.text !== "") {
    throw new UsageError(
      `${clientCa.from}: clients are not asked for a certificate without --${server}-auth certificate`,
    );
  }
  switch (kind) {
    case "none":
      return { kind };
    case "certificate":
      if (clientCa.text === "") throw new UsageError(`${said.from}: certificate needs --${server}-client-ca`);
      return { kind, clientCa: clientCa.text };
    case "token":
      if (cluster === null) {
        throw new UsageError(`${said.from}: token needs --source kube: the API server authenticates tokens`);
      }
      return { kind, kubeconfig: cluster.kubeconfig, context: cluster.context ?? null };
  }
}
