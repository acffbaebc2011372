// HOST:PORT, [V6]:PORT or :PORT, of a server of ours. Refuses anything else, and says where it was written.

import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

export interface HostPort {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** The address that only this machine reaches. */
export const loopback = "127.0.0.1";

/** `anyHost`: where no host is named; `or`: what else the value may be, for the message. */
export function parseHostPort({ text, from }: Value, anyHost: string, or = ""): HostPort {
  const colon = text.lastIndexOf(":");
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  const port = text.slice(colon + 1);
  if (colon < 0 || !/^\d{1,5}$/.test(port) || Number(port) > 65535)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not HOST:PORT${or}`);
  return { host: host === "" ? anyHost : host, port: Number(port) };
}
