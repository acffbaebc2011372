// The world that a command asks, with the owners of pods and with Services; findings go to standard error.

import type { WorldConfig } from "../config/questions.ts";
import { AskedWorld } from "../explain/asked.ts";
import type { Cidr } from "../model/ip.ts";
import { serviceKind } from "../model/service.ts";
import { loadWorld } from "../worlds/world.ts";
import { sayMany } from "./print/progress.ts";

export interface AskedByCommand {
  readonly asked: AskedWorld;
  /** A part could not be read, or a policy is refused. */
  readonly refused: boolean;
}

/** Throws an Error of one sentence when the cluster cannot be asked. */
export async function askedWorldOf(
  { source, ...mode }: WorldConfig,
  serviceNetworks: readonly Cidr[],
): Promise<AskedByCommand> {
  const world = await loadWorld(source, { ...mode, alsoRead: [serviceKind], owners: true, many: sayMany });
  for (const line of world.lines) process.stderr.write(`${line}\n`);
  const { dialects, placeOf, objects, others: services, unread, notRead, refused } = world;
  const { families } = mode;
  const options = { dialects, placeOf, objects, families, services, serviceNetworks, unread, notRead };
  return { asked: new AskedWorld(world.judged, options), refused };
}
