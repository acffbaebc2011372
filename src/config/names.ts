// How names of domains are resolved, for `run`: which DNS servers are asked, and which answers are never taken.

import type { Cidr } from "../model/ip.ts";
import { parseCidr, parseIp } from "../model/ip.ts";
import type { Flags } from "../policy/contracts/flags.ts";
import { namesFlag } from "../policy/contracts/names.ts";
import { seconds } from "./shapes.ts";
import type { Value, Values } from "./values.ts";
import { UsageError } from "./values.ts";

export interface NamesConfig {
  readonly servers: DnsServers;
  /** How long each address counts at least. */
  readonly minTtlMs: number;
  /** Names below it may lead to pods. */
  readonly clusterDomain: string;
  /** None given: cluster IPs of Services are not known. */
  readonly serviceNetworks: readonly Cidr[];
}

export type DnsServers =
  /** Each as `ADDRESS:PORT`. */
  | { readonly kind: "given"; readonly servers: readonly string[] }
  /** The endpoints of a Service, by its EndpointSlices. */
  | { readonly kind: "service"; readonly namespace: string; readonly name: string };

const ownFlags = [
  "names-servers",
  "names-service",
  "names-min-ttl",
  "cluster-domain",
  "service-cidr",
] as const;

/** `hasCluster`: objects are read from an API server. null: names are not resolved. */
export function parseNames(
  { value }: Pick<Values<"run">, "value">,
  kinds: Flags,
  hasCluster: boolean,
): NamesConfig | null {
  if ((kinds[namesFlag] ?? "off") === "off") {
    const given = ownFlags.map(value).find(({ isDefault }) => !isDefault);
    if (given === undefined) return null;
    throw new UsageError(`${given.from}: has no meaning without --${namesFlag} poll`);
  }
  return {
    servers: parseServers(value, hasCluster),
    minTtlMs: parseTtl(value("names-min-ttl")) * 1000,
    clusterDomain: value("cluster-domain").text.toLowerCase().replace(/\.$/, ""),
    serviceNetworks: parseNetworks(value("service-cidr")),
  };
}

function parseServers(value: Values<"run">["value"], hasCluster: boolean): DnsServers {
  const given = value("names-servers");
  if (given.text !== "")
    return { kind: "given", servers: given.text.split(",").map((one) => parseServer(one, given.from)) };
  if (!hasCluster)
    throw new UsageError(
      `--names-servers is needed: --${namesFlag} poll finds DNS servers in a cluster alone`,
    );
  const { text, from } = value("names-service");
  const [, namespace, name] = /^([a-z\d][-a-z\d]*)\/([a-z\d][-a-z\d]*)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not NAMESPACE/NAME`);
  return { kind: "service", namespace, name };
}

/** 10.0.0.1, 10.0.0.1:53, fd00::1, [fd00::1]:53 */
function parseServer(text: string, from: string): string {
  const alone = parseIp(text);
  if (alone !== null) return dnsServer(alone, 53);
  const [, v6, v4, digits = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const [ip, port] = [parseIp(v6 ?? v4 ?? ""), Number(digits)];
  if (ip === null || port < 1 || port > 65535)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not ADDRESS:PORT, or [ADDRESS]:PORT for IPv6`);
  return dnsServer(ip, port);
}

/** As Node's resolver takes it. */
export function dnsServer(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function parseNetworks({ text, from }: Value): readonly Cidr[] {
  return text === ""
    ? []
    : text.split(",").map((one) => {
        const cidr = parseCidr(one);
        if (cidr === null) throw new UsageError(`${from}: ${JSON.stringify(one)} is not a network`);
        return cidr;
      });
}

function parseTtl({ text, from }: Value): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= 0 && value <= seconds.most) return value;
  throw new UsageError(
    `${from}: ${JSON.stringify(text)} is not a number of seconds from 0 to ${seconds.most}`,
  );
}
