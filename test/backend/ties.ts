// Connections about which policies of one tier and one priority, whose order is open, would say different things. The APIs leave
// open which of them is heard, so such a connection is not judged.

import type { Connection, World } from "../../src/policy/evaluate.ts";
import { firstStep } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import { placeKey, equalsOf } from "../../src/policy/order.ts";

export function isTied(connection: Connection, world: World, policies: readonly Policy[]): boolean {
  const places = Map.groupBy(policies, placeKey);
  return directions.some((direction) =>
    [...places.values()].some((group) => {
      const said = equalsOf(group).map((turn) => firstStep(turn, direction, connection, world)?.rule.action);
      return new Set(said.filter((action) => action !== undefined)).size > 1;
    }),
  );
}
