// The settings of the page's server, for `run --ui` and `northgate ui` alike. A host that is not named is loopback. Refuses to
// serve other machines without TLS and without authentication, unless --ui-insecure allows it.

import { isIP } from "node:net";
import type { AccessConfig, AccessFlag, Cluster } from "./access.ts";
import { parseAccess } from "./access.ts";
import type { HostPort } from "./host-port.ts";
import { isLoopback } from "../model/loopback.ts";
import { loopback, parseHostPort } from "./host-port.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

export interface PageConfig extends HostPort, AccessConfig {
  /** "" or "/northgate": without a slash at its end. */
  readonly basePath: string;
  /** In lower case: names that the Host header may have, beside addresses and localhost. */
  readonly hosts: readonly string[];
}

type Flag = AccessFlag<"ui"> | "ui-insecure" | "ui-base-path" | "ui-hosts";

/** `listen`: HOST:PORT, or off where `or` says that it may be. null: no page. */
export function parsePage(
  listen: Value,
  value: (flag: Flag) => Value,
  cluster: Cluster | null,
  or = "",
): PageConfig | null {
  const bind = or !== "" && listen.text === "off" ? null : parseHostPort(listen, loopback, or);
  const access = parseAccess("ui", value, cluster, bind?.host ?? null);
  const page = { basePath: parseBasePath(value("ui-base-path")), hosts: parseHosts(value("ui-hosts")) };
  if (bind === null) return null;
  if (value("ui-insecure").text !== "true") refuseOpen(bind.host, listen.from, access);
  return { ...bind, ...access, ...page };
}

function refuseOpen(host: string, from: string, { tls, auth }: AccessConfig): void {
  if (isLoopback(host)) return;
  const missing = [
    ...(tls === null ? ["--ui-cert and --ui-key"] : []),
    ...(auth.kind === "none" ? ["--ui-auth token or certificate"] : []),
  ];
  if (missing.length === 0) return;
  throw new UsageError(
    `${from}: other machines can reach ${host}: ${missing.join(", and ")} ` +
      `${missing.length > 1 || tls === null ? "are" : "is"} needed, or --ui-insecure`,
  );
}

function parseBasePath({ text, from }: Value): string {
  if (text === "" || /^(\/[\w.~-]+)+$/.test(text)) return text;
  throw new UsageError(
    `${from}: ${JSON.stringify(text)} is not a path such as /northgate, without a slash at its end`,
  );
}

function parseHosts({ text, from }: Value): readonly string[] {
  if (text === "") return [];
  const names = text.toLowerCase().split(",");
  const wrong = names.find((name) => !/^[a-z\d]([a-z\d.-]*[a-z\d])?$/.test(name) || isIP(name) !== 0);
  if (wrong === undefined) return names;
  throw new UsageError(`${from}: ${JSON.stringify(wrong)} is not the name of a host, without a port`);
}
