// The list of backends: what enforces the policies. A new backend adds one line.

import type { BackendKind } from "./backend-kind.ts";
import { invariant } from "./lib/invariant.ts";
import { ovn } from "./nbdb/tools/index.ts";
import { iptables, nftables } from "./netfilter/index.ts";
import type { FlagOptions, Flags } from "./policy/contracts/flags.ts";
import { defaultsOf } from "./policy/contracts/flags.ts";

/** The first is used by default. */
export const backends: readonly [BackendKind, ...BackendKind[]] = [ovn, iptables, nftables];

/** The flags of backends. */
export const backendOptions: FlagOptions = Object.assign(
  {},
  ...backends.map(({ options }) => options),
) as FlagOptions;

/** Every flag of a backend, with its default. */
export const backendDefaults: Flags = defaultsOf(backendOptions);

/** How objects are read for the backend. */
export function readingFor({
  backend,
  backendFlags,
}: {
  readonly backend: string;
  readonly backendFlags: Flags;
}) {
  return { nodeAddresses: backendNamed(backend).nodeAddresses?.(backendFlags) ?? "status" } as const;
}

/** Of a name that was checked against the list. */
export function backendNamed(name: string): BackendKind {
  const found = backends.find((one) => one.name === name);
  invariant(found !== undefined, `no backend is named ${name}`);
  return found;
}
