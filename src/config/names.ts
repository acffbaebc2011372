// How names of domains are resolved, for `run`: which DNS servers are asked, and which answers are never taken.

import { invariant } from "../lib/invariant.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { parseCidr, parseIp } from "../model/ip.ts";
import type { Flags } from "../policy/contracts/flags.ts";
import { namesFlag } from "../policy/contracts/names.ts";
import type { HostPort } from "./host-port.ts";
import { parseHostPort } from "./host-port.ts";
import { seconds } from "./shapes.ts";
import type { Value, Values } from "./values.ts";
import { UsageError } from "./values.ts";

export interface NamesConfig {
  readonly servers: DnsServers;
  /** How long each address counts at least. */
  readonly minTtlMs: number;
  /** Names below it may lead to pods. */
  readonly clusterDomain: string;
  /** None given: they are looked up. */
  readonly serviceNetworks: readonly Cidr[];
  /** Where DNS servers send what they answer; null: they are only asked. */
  readonly taps: TapsConfig | null;
}

export type TapsConfig = HostPort & {
  /** Paths of PEM files; null: plain TCP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  /** Search suffixes of nodes: pods have them besides those of the cluster domain. */
  readonly search: readonly string[];
};

export type DnsServers =
  /** Each as `ADDRESS:PORT`. */
  | { readonly kind: "given"; readonly servers: readonly string[] }
  /** The endpoints of a Service, by its EndpointSlices. */
  | { readonly kind: "service"; readonly namespace: string; readonly name: string };

const tapFlags = ["names-search", "names-bind-address", "names-tls-cert", "names-tls-key"] as const;
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
  const mode = kinds[namesFlag] ?? "off";
  if (mode !== "dnstap") refuseGiven(tapFlags.map(value), "dnstap");
  if (mode === "off") {
    refuseGiven(ownFlags.map(value), "poll");
    return null;
  }
  return {
    servers: parseServers(value, hasCluster),
    minTtlMs: parseTtl(value("names-min-ttl")) * 1000,
    clusterDomain: parseDomain(value("cluster-domain")),
    serviceNetworks: parseNetworks(value("service-cidr")),
    taps: mode === "dnstap" ? parseTaps(value) : null,
  };
}

function refuseGiven(values: readonly Value[], mode: string): void {
  const given = values.find(({ isDefault }) => !isDefault);
  if (given !== undefined)
    throw new UsageError(`${given.from}: has no meaning without --${namesFlag} ${mode}`);
}

function parseTaps(value: Values<"run">["value"]): TapsConfig {
  const [certificate, key] = [value("names-tls-cert"), value("names-tls-key")];
  if ((certificate.text === "") !== (key.text === "")) {
    const { from } = certificate.text === "" ? key : certificate;
    throw new UsageError(`${from}: --names-tls-cert and --names-tls-key are needed together`);
  }
  const tls = certificate.text === "" ? null : { certificate: certificate.text, key: key.text };
  const search = parseDomains(value("names-search"));
  return { ...parseHostPort(value("names-bind-address"), "0.0.0.0"), tls, search };
}

function parseServers(value: Values<"run">["value"], hasCluster: boolean): DnsServers {
  const given = value("names-servers");
  if (given.text !== "")
    return { kind: "given", servers: given.text.split(",").map((one) => parseServer(one, given.from)) };
  if (!hasCluster)
    throw new UsageError(`--names-servers is needed: --${namesFlag} finds DNS servers in a cluster alone`);
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

/** Of an address and a port, as `dnsServer` makes it of them. */
export function serverParts(server: string): { readonly host: IpAddress; readonly port: number } {
  const colon = server.lastIndexOf(":");
  const host = parseIp(server.slice(0, colon).replace(/^\[(.*)\]$/, "$1"));
  invariant(host !== null, "a DNS server has an address");
  return { host, port: Number(server.slice(colon + 1)) };
}

/** As Node's resolver takes it. */
export function dnsServer(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function parseDomain({ text, from }: Pick<Value, "text" | "from">): string {
  const domain = text.toLowerCase().replace(/\.$/, "");
  if (/^(?:[-_a-z\d]{1,63}\.)*[-_a-z\d]{1,63}$/.test(domain) && domain.length < 200) return domain;
  throw new UsageError(`${from}: ${JSON.stringify(text)} is not a domain`);
}

function parseDomains({ text, from }: Value): readonly string[] {
  return text === "" ? [] : text.split(",").map((one) => parseDomain({ text: one, from }));
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
