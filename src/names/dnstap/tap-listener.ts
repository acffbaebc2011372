// Where CoreDNS' dnstap plugin connects to: plain TCP, or TLS with a certificate that is replaced while it runs. Takes connections from DNS
// servers only, bounded in number, and knows of each server when it last sent something. The port widens what rules allow: a program that
// reaches it from another address is refused before a byte is read.

import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { bind } from "../../http/bind.ts";
import type { CertificateFiles } from "../../http/certificate.ts";
import { Certificate } from "../../http/certificate.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import { every } from "../../lib/every.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IpAddress } from "../../model/ip.ts";
import type { AnswerSink } from "../answer-sink.ts";
import { TapCounting } from "./counts.ts";
import type { TapCounts } from "./counts.ts";
import type { SourceState } from "./tap-sources.ts";
import { TapSources } from "./tap-sources.ts";
import { TapReader } from "./tap-reader.ts";
import type { WatchedNames } from "./watched.ts";

const handshakeMs = 5_000;
const checkMs = 1_000;

export interface TapListenerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** null: plain TCP. CoreDNS has no certificate of its own to show. */
  readonly tls: Omit<CertificateFiles, "clientCa"> | null;
  /** False: another instance learns, and connections end after their handshake. Asked again and again. */
  readonly isOpen: () => boolean;
  /** Asked at each connection, and again while it lasts. */
  readonly isServer: (address: IpAddress) => boolean;
  readonly names: WatchedNames;
  readonly sink: AnswerSink;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of a bug of ours. */
  readonly fatal: (error: unknown) => void;
}

export interface TapListener {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  readonly counts: TapCounts;
  /** Connections that are open now. */
  readonly connections: number;
  /** What is known of a DNS server. */
  source(address: IpAddress): SourceState;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Rejects when the address cannot be listened on, or when a file of the certificate cannot be used. */
export async function listenForTaps(options: TapListenerOptions): Promise<TapListener> {
  const { host, clock, names, sink, fatal } = options;
  const counts = new TapCounting();
  const sources = new TapSources({ ...options, counts, reader: new TapReader(names, sink, counts) });
  const server = openServer(options, sources);
  const port = await bind(server, host, options.port);
  // Without a listener an accept that fails, for want of file descriptors for one, would end the process.
  server.on("error", (error) => {
    sources.warn("a connection of a DNS server could not be accepted", { reason: error.message });
  });
  const check = (): void => {
    try {
      sources.check();
    } catch (error) {
      fatal(error);
    }
  };
  // After what the sockets have: where a program was busy for seconds, what came in time is read before anything is called too slow.
  const checks = every(clock, checkMs, () => setImmediate(check), fatal);
  return {
    ...{ host, port, counts },
    get connections() {
      return sources.connections;
    },
    source: (address) => sources.stateOf(address),
    close: () => closed(server, sources, checks),
  };
}

function openServer({ tls, logger }: TapListenerOptions, sources: TapSources): Server {
  if (tls === null)
    return createServer((socket) => {
      if (sources.admit(socket)) sources.take(socket);
    });
  const name = { server: "names listener", content: "answers of DNS", flags: "--names-tls" };
  const certificate = new Certificate({ ...tls, clientCa: null }, name, logger);
  const server = createTlsServer({ ...certificate.context, handshakeTimeout: handshakeMs });
  // Before Node's own listener, which begins the handshake.
  server.prependListener("connection", (socket: Socket) => {
    const context = certificate.renewed();
    if (context !== null) server.setSecureContext(context);
    sources.admit(socket);
  });
  server.on("secureConnection", (socket) => {
    sources.take(socket);
  });
  server.on("tlsClientError", (error) => {
    sources.warn("a DNS server and the names listener found no common TLS", { reason: error.message });
  });
  return server;
}

function closed(server: Server, sources: TapSources, checks: Timer): Promise<void> {
  checks.cancel();
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    sources.close();
  });
}
