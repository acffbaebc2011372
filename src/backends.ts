// The list of backends: what enforces the policies. A new backend adds one line.

import type { BackendKind } from "./backend-kind.ts";
import { invariant } from "./lib/invariant.ts";
import { ovn } from "./nbdb/tools/index.ts";
import type { Flags } from "./policy/contracts/flags.ts";
import { defaultsOf } from "./policy/contracts/flags.ts";

/** The first is used by default. */
export const backends: readonly [BackendKind, ...BackendKind[]] = [ovn];

export const backendNames: readonly string[] = backends.map(({ name }) => name);

/** Every flag of a backend, with its default. */
export const backendDefaults: Flags = Object.fromEntries(
  backends.flatMap(({ options }) => Object.entries(defaultsOf(options))),
);

/** Of a name that was checked against `backendNames`. */
export function backendNamed(name: string): BackendKind {
  const found = backends.find((one) => one.name === name);
  invariant(found !== undefined, `no backend is named ${name}`);
  return found;
}
