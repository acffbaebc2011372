// The sides of a connection of which an end is a workload's template: those of every address and node that the pods may have, as
// far as rules tell them apart. Open where they end otherwise. Invariant: a verdict is given only where all of them have it.

import { workloadText } from "../../model/workload.ts";
import type { Connection } from "../../policy/evaluate.ts";
import { hasTemplate, placementsOf } from "../../unknowns/placements.ts";
import type { Placements, Role } from "../../unknowns/placements.ts";
import type { Workload } from "../../model/workload.ts";
import type { Caveat, NearMiss, Side } from "../answer.ts";
import type { AskedWorld } from "../asked.ts";
import { addressCaveat } from "../caveats.ts";
import { commonSide } from "../services/services.ts";
import type { Sides } from "../side.ts";

/** The sides of one connection between ends that have addresses. */
export type SidesOf = (connection: Connection) => Sides;

/** `workloads`: those whose templates the ends are. */
export function placedSides(
  asked: AskedWorld,
  connection: Connection,
  workloads: Workloads,
  sidesOf: SidesOf,
): Sides {
  if (!hasTemplate(connection)) return sidesOf(connection);
  const { facts: world, possible: policies, unknowns } = asked;
  const { connections, parts } = placementsOf(connection, {
    ...{ world, policies: [...policies, ...unknowns.unread], taken: asked.taken },
  });
  const told = connections?.map((one) => withoutAddresses(sidesOf(one), one, connection)) ?? [];
  const [first] = told;
  if (first === undefined) return opened(sidesOf(connection), caveatOf(workloads, parts));
  const isOpen = told.some(({ verdict }) => verdict !== first.verdict);
  return {
    verdict: isOpen ? "unknown" : first.verdict,
    egress: commonSide(told.map(({ egress }) => egress)),
    ingress: commonSide(told.map(({ ingress }) => ingress)),
    caveats: [...(isOpen ? [caveatOf(workloads, parts)] : []), ...told.flatMap(({ caveats }) => caveats)],
  };
}

export type Workloads = Readonly<Record<Role, Workload | null>>;

function caveatOf(workloads: Workloads, parts: Placements["parts"]): Caveat {
  const open = roles.filter((role) => workloads[role] !== null && parts[role].length > 0);
  const names = open.flatMap((role) => workloads[role] ?? []).map(workloadText);
  return addressCaveat(
    [...new Set(names)],
    open.flatMap((role) => parts[role]),
  );
}

const roles: readonly Role[] = ["from", "to"];

/** Of the sides of one way among too many. */
function opened(sides: Sides, caveat: Caveat): Sides {
  const open = (side: Side | null): Side | null =>
    side === null || side.by === "exempt" ? side : { ...side, verdict: "unknown" };
  return {
    ...{ verdict: "unknown", egress: open(sides.egress), ingress: open(sides.ingress) },
    caveats: [caveat, ...sides.caveats],
  };
}

/** An address that was chosen for a template is nobody's: near misses do not show it. */
function withoutAddresses(sides: Sides, placed: Connection, { from, to }: Connection): Sides {
  const chosen = [
    from.ip === placed.from.ip ? null : placed.from.ip,
    to.ip === placed.to.ip ? null : placed.to.ip,
  ];
  const shown = (near: NearMiss): NearMiss =>
    chosen.some((ip) => ip === near.has) ? { ...near, has: "an address that is not known" } : near;
  const side = (one: Side | null): Side | null =>
    one?.near === undefined ? one : { ...one, near: one.near.map(shown) };
  return { ...sides, egress: side(sides.egress), ingress: side(sides.ingress) };
}
