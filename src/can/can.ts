// The answer of `northgate can`: who can reach an end, what an end can reach, or who can reach what. Throws NoSuchEnd. Invariant:
// each connection that is asked about is in exactly one group, with the judge's verdict, or unknown with the reason.

import type { AskedWorld } from "../explain/asked.ts";
import { hostWorkloadsCaveat, pluginCaveat, servicesCaveat, worldCaveats } from "../explain/caveats.ts";
import type { Caveat } from "../explain/answer.ts";
import type { FamilyCrossings } from "../crossings/crossings.ts";
import { Crossings } from "../crossings/crossings.ts";
import type { Destinations } from "../crossings/ports-asked.ts";
import { everywhere, portsAsked } from "../crossings/ports-asked.ts";
import type { Direction } from "../policy/ir.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Selection } from "./asked-ends.ts";
import { selectionOf } from "./asked-ends.ts";
import { Deciders } from "./deciders.ts";
import type { Selections } from "./groups.ts";
import { chosen, groupsOf } from "./groups.ts";
import { groupsShown, membersOfSet, reachesShown } from "./members.ts";
import { Names } from "./names.ts";
import { reachesOf, setRole } from "./reach.ts";
import type { NamedAddresses } from "./address-titles.ts";
import type { AskedEnd, CanQuestion, CanReport } from "./report.ts";

export function can(asked: AskedWorld, question: CanQuestion): CanReport {
  const select = (text: string | null): Selection | null => (text === null ? null : selectionOf(text, asked));
  const selections: Selections = { from: select(question.from), to: select(question.to) };
  const given = [selections.from, selections.to].filter((one) => one !== null);
  const networks = given.flatMap((one) => [...one.networks, ...one.except]);
  const ports = portsAsked(question, destinationsOf(selections.to, asked));
  const { families } = new Crossings(asked, { networks, ports });
  const deciders = new Deciders(asked, blamedIn(selections));
  const names = new Names(asked, { ...namedBy("from", selections), ...namedBy("to", selections) });
  const role = setRole(selections);
  const shown = (side: Role): AskedEnd | null => {
    const selection = selections[side];
    if (selection?.isSet !== true) return selection?.end ?? null;
    const own = families.map((family) => [family, chosen(family, side, selection)] as const);
    return { ...selection.end, members: membersOfSet(own, side, names) };
  };
  return {
    schema: "northgate.can/1",
    ...{ question, from: shown("from"), to: shown("to") },
    ...(role === null
      ? {}
      : {
          reach: reachesShown(
            families.flatMap((family) => reachesOf(family, selections, role)),
            role,
            names,
          ),
        }),
    groups: groupsShown(
      families.flatMap((family) => groupsOf(family, selections, deciders)),
      names,
    ),
    caveats: distinct([
      ...worldCaveats(asked),
      ...pluginCaveat(asked),
      ...(given.length === 2 ? [] : hostWorkloadsCaveat(asked)),
      ...given.flatMap((one) => one.caveats),
      ...(selections.to === null ? servicesCaveat(asked) : []),
    ]),
  };
}

function destinationsOf(to: Selection | null, asked: AskedWorld): Destinations {
  if (to === null) return everywhere(asked);
  const { pods, workloads, service } = to.set;
  return { facts: [...pods.map(({ pod }) => pod), ...workloads.map(({ template }) => template)], service };
}

/** Networks have their name from the question. */
function namedBy(role: Role, selections: Selections): Partial<Record<Role, NamedAddresses>> {
  const selection = selections[role];
  if (selection?.end.kind !== "network") return {};
  const piecesIn = (family: FamilyCrossings): readonly number[] =>
    chosen(family, role, selection).flatMap(({ pieces }) => pieces);
  return { [role]: { text: selection.end.text, piecesIn } };
}

/** The side of the end that was asked about. */
function blamedIn({ from, to }: Selections): Direction | null {
  if (from !== null && to !== null) return null;
  return to === null ? "egress" : "ingress";
}

/** Each text once. */
function distinct(caveats: readonly Caveat[]): readonly Caveat[] {
  return [...new Map(caveats.map((one) => [`${one.code} ${one.text}`, one])).values()];
}
