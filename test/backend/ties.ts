// Connections about which policies of one tier and one priority would say different things. The APIs leave open which of
// them is heard, so such a connection is not judged.

import type { Connection, World } from "../../src/policy/evaluate.ts";
import { firstMatch } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";

export function isTied(connection: Connection, world: World, policies: readonly Policy[]): boolean {
  const places = Map.groupBy(policies, ({ tier, priority }) => `${tier.order} ${priority}`);
  return directions.some((direction) =>
    [...places.values()].some((group) => {
      const said = group.map((policy) => firstMatch(policy, direction, connection, world)?.action);
      return new Set(said.filter((action) => action !== undefined)).size > 1;
    }),
  );
}
