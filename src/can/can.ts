// The answer of `northgate can`: who can reach an end, what an end can reach, or who can reach what. Throws NoSuchEnd. Invariant:
// each connection that is asked about is in exactly one group, with the judge's verdict, or unknown with the reason.

import type { AskedWorld } from "../explain/asked.ts";
import {
  endCaveats,
  pluginCaveat,
  servicesCaveat,
  workloadsCaveat,
  worldCaveats,
} from "../explain/caveats.ts";
import type { Caveat } from "../explain/answer.ts";
import { Crossings } from "../crossings/crossings.ts";
import { portsAsked } from "../crossings/ports-asked.ts";
import type { Direction } from "../policy/ir.ts";
import type { Selection } from "./asked-ends.ts";
import { onlyNamed, selectionOf } from "./asked-ends.ts";
import { Deciders } from "./deciders.ts";
import type { Selections } from "./groups.ts";
import { groupsOf } from "./groups.ts";
import { GroupsShown } from "./members.ts";
import type { CanQuestion, CanReport } from "./report.ts";

export function can(asked: AskedWorld, question: CanQuestion): CanReport {
  const select = (text: string | null): Selection | null => (text === null ? null : selectionOf(text, asked));
  const selections: Selections = { from: select(question.from), to: select(question.to) };
  const given = [selections.from, selections.to].filter((one) => one !== null);
  const networks = given.flatMap((one) => [...one.networks, ...one.except]);
  const crossings = new Crossings(asked, { networks, ports: portsAsked(question) });
  const deciders = new Deciders(asked, blamedIn(selections));
  const groups = crossings.families.flatMap((family) => groupsOf(family, selections, deciders));
  return {
    schema: "northgate.can/1",
    question,
    ...{ from: selections.from?.end ?? null, to: selections.to?.end ?? null },
    groups: new GroupsShown(asked).shown(groups),
    caveats: distinct([
      ...worldCaveats(asked),
      ...pluginCaveat(asked),
      ...workloadsCaveat(asked),
      ...given.flatMap((one) => caveatsOf(one, asked)),
      ...(selections.to === null ? servicesCaveat(asked) : []),
    ]),
  };
}

/** The side of the end that was asked about. */
function blamedIn({ from, to }: Selections): Direction | null {
  if (from !== null && to !== null) return null;
  return to === null ? "egress" : "ingress";
}

function caveatsOf({ end }: Selection, asked: AskedWorld): readonly Caveat[] {
  if (end.kind === "network") return [];
  const from = onlyNamed(end.text, asked);
  return endCaveats(asked, from, from);
}

/** Each text once. */
function distinct(caveats: readonly Caveat[]): readonly Caveat[] {
  return [...new Map(caveats.map((one) => [`${one.code} ${one.text}`, one])).values()];
}
