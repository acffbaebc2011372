// Where DNS and the API server are: flags that lint and plan share. Refuses wrong usage as config.ts does.

import type { IpAddress } from "../model/ip.ts";
import { parseIp } from "../model/ip.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

interface Service {
  readonly ip: IpAddress;
  readonly port: number;
}

export interface NeedsConfig {
  readonly dns: readonly (Service | { readonly namespace: string })[];
  readonly apiServer: readonly Service[];
}

export function parseNeeds(value: (flag: "dns" | "api-server") => Value): NeedsConfig {
  const given = (flag: "dns" | "api-server"): readonly string[] =>
    value(flag).texts.filter((text) => text !== "");
  return {
    dns: given("dns").map((text) =>
      text.includes(":") ? parseService(text, "--dns") : { namespace: parseNamespace(text, "--dns") },
    ),
    apiServer: given("api-server").map((text) => parseService(text, "--api-server")),
  };
}

/** 10.0.0.1:53, [fd00::1]:53 */
function parseService(text: string, from: string): Service {
  const [, v6, v4, digits = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const ip = parseIp(v6 ?? v4 ?? "");
  const port = Number(digits);
  if (ip === null || port < 1 || port > 65535)
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not ADDRESS:PORT, or [ADDRESS]:PORT for IPv6`);
  return { ip, port };
}

export function parseNamespace(text: string, from: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new UsageError(`${from}: ${JSON.stringify(text)} is not the name of a namespace`);
}
