// The central Northbound database over TLS: it listens on a port of 127.0.0.1 of this machine, which nodes reach at the same port of
// theirs, and takes clients alone whose certificate its own authority signed.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { steadyPort } from "../../test/kube/background.ts";
import { makeSecretFiles, serverFiles } from "../../test/ovsdb/tls-files.ts";

export interface NbTls {
  /** For programs in the network namespace of a node. */
  readonly remote: string;
  /** The folder with tls.key, tls.crt and ca.crt of a client, as the Secret northgate-nb has them. */
  readonly secret: string;
  /** More arguments for the database's server. */
  readonly serverArgs: readonly string[];
}

export async function makeNbTls(dir: string): Promise<NbTls> {
  const port = await steadyPort();
  const [server, secret] = [join(dir, "nb-tls"), join(dir, "nb-secret")];
  mkdirSync(server, { mode: 0o700 });
  makeSecretFiles(server, secret);
  return {
    ...{ remote: `ssl:127.0.0.1:${port}`, secret },
    serverArgs: [`--remote=pssl:${port}:127.0.0.1`, ...serverFiles(server)],
  };
}
