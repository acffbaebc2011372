// The settings of the metrics server: its address, its certificate, and its readers.

import type { AccessConfig, AccessFlag, Cluster } from "./access.ts";
import { parseAccess } from "./access.ts";
import type { HostPort } from "./host-port.ts";
import { parseHostPort } from "./host-port.ts";
import type { Value } from "./values.ts";

export type MetricsConfig = HostPort & AccessConfig;

type Flag = "metrics-bind-address" | AccessFlag<"metrics">;

/** null: no server. */
export function parseMetrics(value: (flag: Flag) => Value, cluster: Cluster | null): MetricsConfig | null {
  const bind = parseBind(value("metrics-bind-address"));
  const access = parseAccess("metrics", value, cluster, bind?.host ?? null);
  return bind === null ? null : { ...bind, ...access };
}

/** null: off. */
function parseBind(value: Value): HostPort | null {
  if (value.text === "off") return null;
  return parseHostPort(value, "0.0.0.0", " or off");
}
