// The server under a listener: plain HTTP, or HTTPS with a certificate that is replaced while it runs. A client certificate that
// is missing or wrong ends no handshake: the gate refuses it with a line that says why, and probes need none.

import type { Server } from "node:http";
import { createServer as createPlainServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Logger } from "../lib/logger.ts";
import type { CertificateFiles, ServerName } from "./certificate.ts";
import { Certificate } from "./certificate.ts";

/** Room for a bearer token of several kilobytes. */
export const headerBytes = 16_384;
const handshakeMs = 5_000;

export interface Transport {
  /** Not listening yet, without a request listener. */
  readonly server: Server;
  readonly scheme: "http" | "https";
  /** To be called before a connection's handshake, which then has the certificate of now. */
  readonly opened: () => void;
}

/** `tls` null: plain HTTP. Throws one line when a file cannot be used. */
export function openTransport(tls: CertificateFiles | null, name: ServerName, logger: Logger): Transport {
  if (tls === null) {
    const server = createPlainServer({ maxHeaderSize: headerBytes });
    return { server, scheme: "http", opened: () => undefined };
  }
  const certificate = new Certificate(tls, name, logger);
  const server = createTlsServer({
    ...certificate.context,
    maxHeaderSize: headerBytes,
    handshakeTimeout: handshakeMs,
    requestCert: tls.clientCa !== null,
    rejectUnauthorized: false,
  });
  const opened = (): void => {
    const context = certificate.renewed();
    if (context !== null) server.setSecureContext(context);
  };
  return { server, scheme: "https", opened };
}
