// A world as `get` lists it: its policies with their rows.

import type { ExistingRows } from "../../backend-kind.ts";
import { backendNamed } from "../../backends.ts";
import { AskedWorld } from "../../explain/asked.ts";
import type { ListedPolicy } from "../../explain/overview.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { LoadedWorld } from "../../worlds/world.ts";
import type { CountedPolicy } from "../print/get-table.ts";

/** `families` null: those that the facts show. */
export function askedOf(world: LoadedWorld, families: readonly IpFamily[] | null): AskedWorld {
  const { dialects, placeOf, objects, unread, notRead, workloads, makers, cni } = world;
  return new AskedWorld(world.judged, {
    ...{ dialects, placeOf, objects, families, unread, notRead, workloads, makers, cni },
  });
}

/** Adds the rows that the policy asks for, or those that exist; none in a cluster without OVN. */
export function counter(
  { model, cni }: LoadedWorld,
  backend: string,
  rows: ExistingRows | null,
): (one: ListedPolicy) => CountedPolicy {
  if (cni !== null) return (one) => ({ ...one, rows: {} });
  if (rows === null) {
    const count = backendNamed(backend).counts(model);
    return (one) => ({ ...one, rows: count(one.policy) });
  }
  const count = rows.counts(model);
  const differs = rows.differing(model);
  return (one) => {
    const state = one.state !== "refused" && differs(one.policy) ? "rows differ" : one.state;
    return { ...one, state, rows: count(one.policy) };
  };
}
