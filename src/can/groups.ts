// All crossings between the ends that are asked about, joined: sources that the same decides to the same destinations are one
// group. Of one family. Invariant: a connection that is asked about is in exactly one group.

import type { ClassPair, Crossing, FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import { isSubject } from "../crossings/ends.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import { Classes } from "../verdicts/classes.ts";
import { Interner } from "../verdicts/interner.ts";
import type { Traffic } from "../verdicts/traffic.ts";
import { noTraffic, textOf } from "../verdicts/traffic.ts";
import type { Selection } from "./asked-ends.ts";
import type { Decided, Deciders } from "./deciders.ts";

export interface RawGroup {
  readonly family: FamilyCrossings;
  readonly from: readonly EndClass[];
  readonly to: readonly EndClass[];
  readonly decided: Decided;
  readonly traffic: Traffic;
  readonly example: Connection;
}

/** What joins pairs: who decides, and on which traffic. */
interface Cause {
  readonly id: number;
  readonly decided: Decided;
  readonly traffic: Traffic;
}

class Causes {
  readonly #family: FamilyCrossings;
  readonly #deciders: Deciders;
  readonly #ids = new Interner();
  readonly #causes: Cause[] = [];
  readonly #known = new Map<readonly Crossing[], Map<string, readonly Cause[]>>();

  constructor(family: FamilyCrossings, deciders: Deciders) {
    this.#family = family;
    this.#deciders = deciders;
  }

  /** Of all connections of the pair; each decider once. */
  of(pair: ClassPair): readonly Cause[] {
    const crossings = this.#family.between(pair.from, pair.to);
    const alike = this.#known.get(crossings) ?? new Map<string, readonly Cause[]>();
    this.#known.set(crossings, alike);
    const ends = `${isSubject(pair.from)} ${isSubject(pair.to)}`;
    const known = alike.get(ends) ?? this.#made(crossings, pair);
    alike.set(ends, known);
    return known;
  }

  #made(crossings: readonly Crossing[], pair: ClassPair): readonly Cause[] {
    const byDecided = new Map<Decided, Traffic>();
    for (const crossing of crossings) {
      const decided = this.#deciders.of(this.#family, crossing, pair);
      byDecided.set(decided, crossing.traffic | (byDecided.get(decided) ?? noTraffic));
    }
    const causes = Array.from(byDecided, ([decided, traffic]) => this.#causeOf(decided, traffic));
    return causes.filter(({ traffic }) => this.#family.exampleOf(pair, traffic) !== null);
  }

  #causeOf(decided: Decided, traffic: Traffic): Cause {
    const id = this.#ids.of(`${decided.text} ${textOf(traffic)}`);
    return (this.#causes[id] ??= { id, decided, traffic });
  }
}

/** null: everybody. */
export type Selections = Readonly<Record<Role, Selection | null>>;

export function groupsOf(
  family: FamilyCrossings,
  selections: Selections,
  deciders: Deciders,
): readonly RawGroup[] {
  const [sources, targets] = [chosen(family, "from", selections.from), chosen(family, "to", selections.to)];
  const causes = new Causes(family, deciders);
  const classes = new Classes<Cause>();
  for (const [at, from] of sources.entries()) {
    const reached = targets.flatMap((to, place) =>
      causes.of({ from, to }).map((cause) => ({ place, cause })),
    );
    for (const [cause, some] of Map.groupBy(reached, (one) => one.cause))
      classes.add(
        cause,
        at,
        some.map(({ place }) => place),
      );
  }
  return classes.list().flatMap(({ change: { decided, traffic }, from, to }) => {
    const [froms, tos] = [from.flatMap((at) => sources[at] ?? []), to.flatMap((at) => targets[at] ?? [])];
    const example = exampleIn(family, froms, tos, traffic);
    return example === null ? [] : [{ family, from: froms, to: tos, decided, traffic, example }];
  });
}

export function chosen(
  family: FamilyCrossings,
  role: Role,
  selection: Selection | null,
): readonly EndClass[] {
  const all = family.classes(role);
  if (selection === null) return all;
  const without = family.piecesWithin(selection.except);
  const pieces = new Set([...family.piecesWithin(selection.networks)].filter((piece) => !without.has(piece)));
  return all
    .map((one) => ({
      ...one,
      pods: one.pods.filter(selection.isPod),
      workloads: one.workloads.filter(({ workload }) => selection.isWorkload(workload.new)),
      pieces: one.pieces.filter((piece) => pieces.has(piece)),
    }))
    .filter((one) => isSubject(one) || one.pieces.length > 0);
}

function exampleIn(
  family: FamilyCrossings,
  froms: readonly EndClass[],
  tos: readonly EndClass[],
  traffic: Traffic,
): Connection | null {
  for (const from of froms)
    for (const to of tos) {
      const example = family.exampleOf({ from, to }, traffic);
      if (example !== null) return example;
    }
  return null;
}
