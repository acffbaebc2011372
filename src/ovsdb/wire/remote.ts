// Where a database server listens, as written in OVN's --ovnnb-db and in ovsdb(7) "Active Connection Methods". Parsing
// refuses anything else and names the part that is wrong; it never touches the network.

import { RemoteError } from "../notation/errors.ts";

export type Remote =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp" | "ssl"; readonly host: string; readonly port: number };

/**
 * Parses `unix:PATH`, `tcp:HOST:PORT` and `ssl:HOST:PORT` (an IPv6 host in brackets), or a list of them with commas.
 * Throws RemoteError.
 */
export function parseRemotes(text: string): readonly [Remote, ...Remote[]] {
  const [first = "", ...rest] = text.split(",").map((part) => part.trim());
  return [parseRemote(first), ...rest.map(parseRemote)];
}

export function formatRemote(remote: Remote): string {
  if (remote.kind === "unix") return `unix:${remote.path}`;
  const host = remote.host.includes(":") ? `[${remote.host}]` : remote.host;
  return `${remote.kind}:${host}:${remote.port}`;
}

// Longer paths do not fit sockaddr_un and fail in the kernel with a message about something else.
const longestSocketPath = 107;

function parseRemote(text: string): Remote {
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(0, colon));
  const rest = text.slice(colon + 1);
  switch (kind) {
    case "unix":
      return { kind, path: parsePath(text, rest) };
    case "tcp":
    case "ssl":
      return { kind, ...parseAddress(text, rest) };
    default:
      throw new RemoteError(`remote ${quote(text)}: expected unix:PATH, tcp:HOST:PORT or ssl:HOST:PORT`);
  }
}

function parsePath(remote: string, path: string): string {
  if (path === "") throw new RemoteError(`remote ${quote(remote)}: the socket's path is missing`);
  if (Buffer.byteLength(path) > longestSocketPath) {
    throw new RemoteError(
      `remote ${quote(remote)}: the socket's path is longer than ${longestSocketPath} bytes`,
    );
  }
  return path;
}

function parseAddress(remote: string, text: string): { host: string; port: number } {
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/.exec(text);
  if (parts === null) {
    throw new RemoteError(`remote ${quote(remote)}: expected HOST:PORT, an IPv6 host in [brackets]`);
  }
  const port = Number(parts[3]);
  if (port < 1 || port > 65535)
    throw new RemoteError(`remote ${quote(remote)}: port ${port} is not in 1..65535`);
  return { host: parts[1] ?? parts[2] ?? "", port };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
