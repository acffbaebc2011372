// The settings of `northgate ui`. A host that is not named is loopback.

import type { Cidr } from "../model/ip.ts";
import { parseSource } from "./config.ts";
import type { HostPort } from "./host-port.ts";
import { loopback, parseHostPort } from "./host-port.ts";
import type { WorldConfig } from "./questions.ts";
import { parseNetworks, parseWorld } from "./questions.ts";
import type { ConfigInput, Value } from "./values.ts";
import { UsageError, valuesOf } from "./values.ts";

export interface UiConfig {
  readonly world: WorldConfig;
  readonly serviceNetworks: readonly Cidr[];
  /** A folder or a file of the world that is compared with; null: none. */
  readonly against: string | null;
  readonly listen: HostPort;
}

export function readUiConfig(input: ConfigInput): UiConfig {
  const { value } = valuesOf("ui", input);
  return Object.freeze({
    world: parseWorld(value),
    serviceNetworks: parseNetworks(value("service-cidr")),
    against: parseAgainst(value("plan-against")),
    listen: parseHostPort(value("listen"), loopback),
  });
}

function parseAgainst(value: Value): string | null {
  if (value.text === "") return null;
  const source = parseSource({ ...value, text: value.text }, null);
  if (source.kind !== "directory") throw new UsageError(`${value.from}: only dir:PATH can be compared with`);
  return source.path;
}
