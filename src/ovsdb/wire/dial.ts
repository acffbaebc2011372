// Opens a byte stream to a remote: unix, tcp or ssl. One attempt, bounded in time; the caller repeats it. Keys and
// certificates are read again at each attempt, so that rotated files need no restart.

import { readFile } from "node:fs/promises";
import { connect as connectNet, type Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { ConnectionLostError, reasonOf } from "../notation/errors.ts";
import { formatRemote, type Remote } from "./remote.ts";

/** PEM files for ssl: remotes. */
export interface TlsFiles {
  readonly keyFile: string;
  readonly certFile: string;
  /** The CA certificates that must have signed the server's certificate. */
  readonly caFile: string;
  /**
   * The name that the server's certificate must carry; absent: the remote's host. null: only the chain is checked, as
   * OVS's own programs do.
   */
  readonly serverName?: string | null;
}

export interface DialOptions {
  readonly tls: TlsFiles | null;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Rejects with ConnectionLostError, naming the remote. */
export async function dial(remote: Remote, options: DialOptions): Promise<Socket> {
  try {
    const socket = await open(remote, options.tls);
    await established(socket, remote.kind === "ssl" ? "secureConnect" : "connect", options);
    return socket;
  } catch (error) {
    throw new ConnectionLostError(`${formatRemote(remote)}: ${reasonOf(error)}`, { cause: error });
  }
}

async function open(remote: Remote, tls: TlsFiles | null): Promise<Socket> {
  if (remote.kind === "unix") return connectNet({ path: remote.path });
  const { host, port } = remote;
  if (remote.kind === "tcp") return connectNet({ host, port, noDelay: true });
  if (tls === null) throw new Error("an ssl: remote needs key, certificate and CA files");
  const [key, cert, ca] = await Promise.all([
    readFile(tls.keyFile),
    readFile(tls.certFile),
    readFile(tls.caFile),
  ]);
  // Loaded on demand: a thread that never needs it takes 1.5 MB less.
  const { connect: connectTls } = await import("node:tls");
  const socket = connectTls({
    host,
    port,
    key,
    cert,
    ca,
    minVersion: "TLSv1.2",
    ...(typeof tls.serverName === "string" ? { servername: tls.serverName } : {}),
    ...(tls.serverName === null ? { checkServerIdentity: () => undefined } : {}),
  });
  return socket.setNoDelay(true);
}

async function established(socket: Socket, event: string, options: DialOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const abort = () => {
    reject(new Error("closed"));
  };
  const timer = options.clock.after(options.timeoutMs, () => {
    reject(new Error(`no connection within ${options.timeoutMs} ms`));
  });
  socket.once(event, () => {
    resolve(undefined);
  });
  socket.once("error", reject);
  options.signal.addEventListener("abort", abort);
  if (options.signal.aborted) abort();
  try {
    await promise;
    socket.off("error", reject);
  } catch (error) {
    // A late error of a destroyed socket needs no report.
    socket.on("error", () => undefined);
    socket.destroy();
    throw error;
  } finally {
    timer.cancel();
    options.signal.removeEventListener("abort", abort);
  }
}
