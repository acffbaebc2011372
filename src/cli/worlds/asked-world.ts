// The worlds that a command asks, with the owners of pods and with Services; findings go to standard error.

import type { WorldSource } from "../../config/config.ts";
import type { WorldConfig } from "../../config/answers/questions.ts";
import { AskedWorld } from "../../explain/asked.ts";
import type { Cidr } from "../../model/ip.ts";
import { serviceKind } from "../../model/service.ts";
import type { Both } from "../../verdicts/worlds.ts";
import { plannedWorlds } from "../../worlds/plan-worlds.ts";
import type { LoadedWorld } from "../../worlds/world.ts";
import { loadWorld } from "../../worlds/world.ts";
import { sayMany } from "../print/progress.ts";

const read = { alsoRead: [serviceKind], many: sayMany } as const;

export interface AskedByCommand {
  readonly asked: AskedWorld;
  /** A part could not be read, or a policy is refused. */
  readonly refused: boolean;
}

/** `namespace`: of names of ends that have none. Throws an Error of one sentence when the cluster cannot be asked. */
export async function askedWorldOf(
  { source, ...mode }: WorldConfig,
  serviceNetworks: readonly Cidr[],
  namespace: string | null = null,
): Promise<AskedByCommand> {
  const world = await loadWorld(source, { ...mode, ...read });
  say(world.lines);
  return { asked: askedIn(world, mode, serviceNetworks, namespace), refused: world.refused };
}

/** The manifests of the command, and older ones. Throws as above. */
export async function askedWorldsOf(
  { source, ...mode }: WorldConfig,
  old: WorldSource,
  serviceNetworks: readonly Cidr[],
): Promise<Both<AskedWorld> & Pick<AskedByCommand, "refused">> {
  const files = source.kind === "files" ? source : { kind: "files" as const, paths: [] };
  const given = { ...mode, ...read, given: files, prune: false, staged: false };
  const { worlds, lines, refused } = await plannedWorlds(given, old);
  say(lines);
  return {
    old: askedIn(worlds.old, mode, serviceNetworks),
    new: askedIn(worlds.new, mode, serviceNetworks),
    refused,
  };
}

function say(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${line}\n`);
}

/** `namespace`: of names of ends that have none; null: `default`. */
export function askedIn(
  { judged, dialects, placeOf, objects, others: services, unread, notRead, ...ends }: LoadedWorld,
  { families }: Pick<WorldConfig, "families">,
  serviceNetworks: readonly Cidr[],
  namespace: string | null = null,
): AskedWorld {
  const { workloads, makers, cni } = ends;
  const options = {
    ...{ dialects, placeOf, objects, families, services, serviceNetworks, unread, notRead },
    ...{ workloads, makers, namespace, cni },
  };
  return new AskedWorld(judged, options);
}
