// The remotes of a Northbound database and the files of its TLS: --nb and the flags beside it. Refuses ssl: without all of its
// files.

import { backendNamed } from "../backends.ts";
import type { TlsFiles } from "../ovsdb/index.ts";
import { parseRemotes } from "../ovsdb/index.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

/** Paths of PEM files. */
export interface TlsConfig {
  readonly privateKey: string;
  readonly certificate: string;
  readonly caCertificate: string;
}

/** Where the Northbound database is. */
export interface NorthboundConfig {
  /** OVSDB remotes, comma-separated. */
  readonly nb: string;
  /** null: no remote needs it. */
  readonly tls: TlsConfig | null;
}

export type TlsFlag = "nb-private-key" | "nb-certificate" | "nb-ca-cert";
export type NorthboundFlag = "nb" | TlsFlag;

type RemoteValues = Readonly<Record<"value" | "optional", (flag: NorthboundFlag | "backend") => Value>>;

/** Of a command that writes: a backend without remotes takes none of their flags. */
export function parseRemotesOf({ value, optional }: RemoteValues): NorthboundConfig {
  const backend = value("backend").text;
  if (hasRemotes(backend)) return parseNorthbound(value);
  const flags = ["nb", "nb-private-key", "nb-certificate", "nb-ca-cert"] as const;
  const given = flags.map(optional).find(({ isDefault }) => !isDefault);
  if (given !== undefined) refuseWithoutRemotes(backend, given);
  return { nb: "", tls: null };
}

function hasRemotes(backend: string): boolean {
  return backendNamed(backend).live.hasRemotes;
}

/** Refuses a value that names a remote of a backend that has none. */
export function refuseWithoutRemotes(backend: string, { from }: Value): void {
  if (!hasRemotes(backend)) throw new UsageError(`${from}: --backend ${backend} takes no remotes`);
}

export function parseNorthbound(value: (flag: NorthboundFlag) => Value): NorthboundConfig {
  const nb = value("nb");
  try {
    parseRemotes(nb.text);
  } catch (error) {
    throw new UsageError(`${nb.from}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [privateKey, certificate, caCertificate] = (
    ["nb-private-key", "nb-certificate", "nb-ca-cert"] as const
  ).map((flag) => value(flag).text);
  if (privateKey && certificate && caCertificate)
    return { nb: nb.text, tls: { privateKey, certificate, caCertificate } };
  if (nb.text.includes("ssl:") || privateKey || certificate || caCertificate) {
    throw new UsageError(
      `${nb.from}: ssl: needs --nb-private-key, --nb-certificate and --nb-ca-cert together`,
    );
  }
  return { nb: nb.text, tls: null };
}

/** As an OVSDB client takes them. */
export function tlsFiles({ privateKey, certificate, caCertificate }: TlsConfig): TlsFiles {
  // OVN certificates name no host: as OVS's own programs do, only the chain is checked.
  return { keyFile: privateKey, certFile: certificate, caFile: caCertificate, serverName: null };
}
