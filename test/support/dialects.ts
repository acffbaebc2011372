// The opt-in dialects with the defaults of their options, and the flags of kinds in short form.

import { antreaDialect } from "../../src/antrea/compile.ts";
import { networkPolicyDialect } from "../../src/networkpolicy/compile.ts";
import type { Flags } from "../../src/policy/contracts/flags.ts";

export const antrea = antreaDialect({ severity: "info", persistent: false, names: "off" });
export const networkPolicy = networkPolicyDialect({ stateless: false });

const flags = {
  admin: "enable-admin-network-policy",
  networkPolicy: "enable-network-policy",
  antrea: "enable-antrea-policy",
  stateless: "stateless-network-policy",
  antreaSeverity: "antrea-log-severity",
  antreaPersistent: "antrea-persist-established",
} as const;

/** What is absent has its default, as on the command line of `run`. */
export function kindFlags(given: Partial<Readonly<Record<keyof typeof flags, boolean | string>>>): Flags {
  const names = Object.keys(given) as (keyof typeof flags)[];
  return Object.fromEntries(names.map((name) => [flags[name], String(given[name])]));
}
