// The IP families of a cluster, as a setting says them.

import type { IpFamily } from "../model/ip.ts";
import { ipFamilies } from "../model/ip.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

/** null: auto. */
export function parseFamilies({ text, from }: Value): readonly IpFamily[] | null {
  if (text === "auto") return null;
  const names = text.split(",");
  const known = new Map<string, IpFamily>([
    ["ipv4", "v4"],
    ["ipv6", "v6"],
  ]);
  if (names.some((name) => !known.has(name)) || new Set(names).size !== names.length) {
    throw new UsageError(`${from}: ${JSON.stringify(text)} is not auto, ipv4, ipv6 or ipv4,ipv6`);
  }
  return ipFamilies.filter((family) => names.some((name) => known.get(name) === family));
}
