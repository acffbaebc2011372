// Keys and certificates of a throw-away authority with a server and a client, as the files that programs take.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TlsFiles } from "../../src/ovsdb/index.ts";
import { type Certified, newAuthority } from "../kube/certificates.ts";

/** Now and for a week, or a week that is over. */
type Validity = "now" | "expired";
const lifetimeMs: Readonly<Record<Validity, number>> = { now: 604_800_000, expired: -604_800_000 };

/** Writes server.key, server.pem and ca.pem beside the client's files, which it returns. Each call makes another authority. */
export function makeCertificates(
  folder: string,
  { server = "now", client = "now" }: { readonly server?: Validity; readonly client?: Validity } = {},
): TlsFiles {
  const authority = newAuthority();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const caFile = file("ca.pem", authority.certificate);
  const pair = (name: string, { certificate, key }: Certified) => ({
    certFile: file(`${name}.pem`, certificate),
    keyFile: file(`${name}.key`, key),
  });
  pair("server", authority.serving(lifetimeMs[server]));
  return { caFile, ...pair("client", authority.client("northgate", [], lifetimeMs[client])) };
}

/** Arguments of an ovsdb-server that uses the files of this folder. */
export function serverFiles(folder: string): readonly string[] {
  return [
    `--private-key=${folder}/server.key`,
    `--certificate=${folder}/server.pem`,
    `--ca-cert=${folder}/ca.pem`,
  ];
}

/** tls.key, tls.crt and ca.crt for the Secret in the folder `secret`; the server's own files are in `dir`. */
export function makeSecretFiles(dir: string, secret: string): void {
  const { keyFile, certFile, caFile } = makeCertificates(dir);
  mkdirSync(secret, { recursive: true });
  for (const [from, to] of [
    [keyFile, "tls.key"],
    [certFile, "tls.crt"],
    [caFile, "ca.crt"],
  ] as const)
    cpSync(from, join(secret, to));
}
