// The list of backends: what enforces the policies. A new backend adds one line.

import type { BackendKind, LiveBackend } from "./backend-kind.ts";
import { invariant } from "./lib/invariant.ts";
import { ovn } from "./nbdb/tools/index.ts";
import { iptables, nftables } from "./netfilter/index.ts";
import type { Flags } from "./policy/contracts/flags.ts";
import { defaultsOf } from "./policy/contracts/flags.ts";

/** The first is used by default. */
export const backends: readonly [BackendKind, ...BackendKind[]] = [ovn, iptables, nftables];

/** Those that `run` and `cleanup` take. */
export const liveBackends: readonly BackendKind[] = backends.filter(({ live }) => live !== null);

/** Every flag of a backend, with its default. */
export const backendDefaults: Flags = Object.fromEntries(
  backends.flatMap(({ options }) => Object.entries(defaultsOf(options))),
);

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

/** As `backendNamed`, of a command that takes no others. */
export function liveBackendNamed(name: string): LiveBackend {
  const { live } = backendNamed(name);
  invariant(live !== null, `the backend ${name} writes nothing`);
  return live;
}
