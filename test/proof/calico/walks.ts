// Walks from world to world of Calico's policies, on a strict stand-in for the database: whatever the controller commits on the way,
// the rows give no packet a verdict that neither the world before nor the world after gives it; at rest the new one's. Verdicts of
// worlds are those of the judge that reads their manifests by itself, verdicts of rows those of src/nbdb/audit.

import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { evaluateRows } from "../../../src/nbdb/audit/index.ts";
import { inTurn } from "../in-turn.ts";
import type { Opinion } from "../judges.ts";
import { opinionText } from "../judges.ts";
import type { Probe } from "../packets.ts";
import { probesOf, probeText } from "../packets.ts";
import { rowConnectionOf } from "../standing-judge.ts";
import { pickBy } from "../changes.ts";
import { afterChanges, calicoChanges, hasRoom, withoutPolicies } from "./changes.ts";
import { edges, installedBeside, roomBeside, withEdges } from "./beside.ts";
import { referringPolicies } from "./referring.ts";
import type { Weights } from "../row-cluster.ts";
import { RowCluster } from "../row-cluster.ts";
import type { CalicoWorld } from "./worlds.ts";
import { calicoInstalled, calicoWorld, calicoWorlds, roomForPasses } from "./worlds.ts";

/** Whether the controller has the NetworkPolicies, or another program, whose rows the controller's stand around. */
export type Owner = "ours" | "others";

interface Step {
  readonly kinds: readonly string[];
  /** Whether the controller hears of it; false: it was down, and another one starts. */
  readonly isHeard: boolean;
  readonly world: CalicoWorld;
}

export interface CalicoWalk {
  /** The first one without its policies. */
  readonly bare: CalicoWorld;
  /** The controller's. */
  readonly weights: Weights;
  /** Whose the NetworkPolicies are. */
  readonly owner: Owner;
  readonly steps: readonly Step[];
}

export interface CalicoWalkTally {
  /** By their kinds. */
  readonly changes: Map<string, number>;
  transactions: number;
  /** Verdicts of rows. */
  judged: number;
  /** Packets to which the worlds of a step give different verdicts. */
  turned: number;
  /** Verdicts of rows that drop what is allowed, where another program's rows stand in the way. */
  stricter: number;
}

export function newCalicoTally(): CalicoWalkTally {
  return { changes: new Map(), transactions: 0, judged: 0, turned: 0, stricter: 0 };
}

/** So heavy is no commit of these worlds. */
const never = 1_000_000;
/** As usual; with rows written ahead of what takes effect; from nothing, in the order of evaluation. */
const allWeights: readonly Weights[] = [
  {},
  { transactionWeight: 1, orderedWeight: never },
  { transactionWeight: never, orderedWeight: 1 },
];
const fromNone = "policies where there were none";

/** Packets of a walk, and those of them that each state of the rows is asked about. */
const candidates = 500;
const judgedPerState = 100;
const faultsTold = 5;

/** `length`: the most steps of one walk. */
export function calicoWalks(length: number, owner: Owner = "ours"): fc.Arbitrary<CalicoWalk> {
  const room = owner === "ours" ? roomForPasses : roomBeside;
  const kind = fc.constantFrom(...Object.keys(calicoChanges));
  const draw = fc.record({
    kinds: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(kind) },
      { weight: 1, arbitrary: fc.array(kind, { minLength: 2, maxLength: 3 }) },
    ),
    isHeard: fc.constantFrom(true, true, true, true, false),
    rolls: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  });
  const world = calicoWorlds({ passing: room }).filter(({ manifests }) => hasRoom(manifests, room));
  return fc
    .record({
      ...{ drawn: world, referring: referringPolicies, material: world, around: edges },
      weights: fc.constantFrom(...allWeights),
      draws: fc.array(draw, { minLength: length, maxLength: length }),
    })
    .map(({ drawn, referring, material, around, weights, draws }) => {
      const all = [...drawn.manifests, ...referring];
      const first = calicoWorld(owner === "ours" ? all : withEdges(all, around), drawn.salt);
      let now = first;
      const changed = draws.flatMap(({ kinds, isHeard, rolls }): readonly Step[] => {
        const manifests = afterChanges(now.manifests, material.manifests, kinds, pickBy(rolls), room);
        if (manifests === null) return [];
        now = calicoWorld(manifests, drawn.salt);
        return [{ kinds, isHeard, world: now }];
      });
      const bare = calicoWorld(withoutPolicies(first.manifests), drawn.salt);
      const steps = [{ kinds: [fromNone], isHeard: true, world: first }, ...changed];
      const walk: CalicoWalk = { bare, weights, owner, steps };
      return Object.assign(walk, { [fc.toStringMethod]: () => textOf(walk) });
    });
}

/** Throws at the end of the first step in which a packet had a verdict that it must not have. */
export async function followCalico(walk: CalicoWalk, tally: CalicoWalkTally): Promise<void> {
  const { bare, steps, weights, owner } = walk;
  const probes = probesOf(bare, candidates);
  const kinds = owner === "ours" ? calicoInstalled : installedBeside;
  const cluster = await RowCluster.open(bare.objects, { kinds, weights });
  try {
    let before = opinionsIn(bare, probes);
    for (const step of steps) {
      const { kinds, world } = step;
      const after = opinionsIn(world, probes);
      const faults = await new Passage(cluster, compared(probes, before, after), tally, owner).take(step);
      if (faults.length > 0)
        throw new Error([`${kinds.join(", and ")}:`, ...faults.slice(0, faultsTold)].join("\n"));
      for (const kind of kinds) tally.changes.set(kind, (tally.changes.get(kind) ?? 0) + 1);
      before = after;
    }
    const last = steps.at(-1)?.world ?? bare;
    if (!cluster.isAsFresh(last.objects)) throw new Error("rows at the end are not those of a fresh start");
    const written = await cluster.restart(last.objects);
    if (written > 0) throw new Error(`a restart at the end wrote ${written} operations`);
  } finally {
    await cluster.close();
  }
}

interface Compared {
  readonly probe: Probe;
  readonly old: Opinion;
  readonly next: Opinion;
}

/** One step on its way. */
class Passage {
  readonly #cluster: RowCluster;
  readonly #compared: readonly Compared[];
  readonly #tally: CalicoWalkTally;
  readonly #mayBeStricter: boolean;
  readonly #faults: string[] = [];
  #states = 0;

  constructor(cluster: RowCluster, compared: readonly Compared[], tally: CalicoWalkTally, owner: Owner) {
    this.#cluster = cluster;
    this.#mayBeStricter = owner === "others";
    this.#compared = compared;
    this.#tally = tally;
    tally.turned += compared.filter(({ old, next }) => old.verdict !== next.verdict).length;
  }

  async take({ isHeard, world: { objects } }: Step): Promise<readonly string[]> {
    // Where the other program's rows change too, the two programs meet in states that neither world has.
    const isAlone = this.#cluster.keepsOthers(objects);
    this.#cluster.committed = () => {
      this.#states++;
      this.#tally.transactions++;
      if (!isAlone) return;
      this.#judge(`in state ${this.#states}`, ({ old, next }) => [old, next]);
    };
    await (isHeard ? this.#cluster.become(objects) : this.#cluster.restart(objects));
    this.#cluster.committed = () => undefined;
    this.#judge("at rest", ({ next }) => [next]);
    return this.#faults;
  }

  #judge(when: string, allowedOf: (one: Compared) => readonly Opinion[]): void {
    const rows = this.#cluster.rows();
    for (const one of this.#compared) {
      const { verdict } = evaluateRows(rows, rowConnectionOf(one.probe));
      const seen = verdict === "deny" ? "drop" : verdict;
      const allowed = allowedOf(one);
      this.#tally.judged++;
      if (allowed.some((opinion) => opinion.verdict === seen)) continue;
      if (this.#mayBeStricter && seen === "drop") {
        this.#tally.stricter++;
        continue;
      }
      this.#faults.push(
        `${when}: ${probeText(one.probe)}\n  manifests: ${allowed.map(opinionText).join(" or ")}\n  rows:      ${seen}`,
      );
    }
  }
}

function opinionsIn({ witness }: CalicoWorld, probes: readonly Probe[]): readonly Opinion[] {
  const meaning = witness?.meaning(null);
  return probes.map((probe) => {
    const opinion = meaning?.opinion(probe.connection) ?? null;
    if (opinion === null) throw new Error("the judge always tells");
    return opinion;
  });
}

/** Half of them others by the step, as far as there are; of each chain of rules some. */
function compared(
  probes: readonly Probe[],
  before: readonly Opinion[],
  after: readonly Opinion[],
): readonly Compared[] {
  const all = probes.flatMap((probe, at): readonly Compared[] => {
    const [old, next] = [before[at], after[at]];
    return old === undefined || next === undefined ? [] : [{ probe, old, next }];
  });
  const isKept = ({ old, next }: Compared) => isDeepStrictEqual(old, next);
  const others = spread(all.filter((one) => !isKept(one)));
  const chosen = [...others.slice(0, judgedPerState / 2), ...spread(all.filter(isKept))];
  return chosen.slice(0, judgedPerState);
}

function spread(all: readonly Compared[]): readonly Compared[] {
  const chainOf = ({ old, next }: Compared) => [old, next].map(opinionText).join();
  return inTurn([...Map.groupBy(all, chainOf).values()], judgedPerState);
}

function textOf({ bare, weights, steps }: CalicoWalk): string {
  const differences = steps.map(({ kinds, isHeard, world }, at) => {
    const before = new Set((steps[at - 1]?.world ?? bare).manifests.map((one) => JSON.stringify(one)));
    const now = world.manifests.map((one) => JSON.stringify(one));
    const gone = [...before].filter((one) => !now.includes(one));
    const come = now.filter((one) => !before.has(one));
    const how = `${kinds.join(", and ")}${isHeard ? "" : ", while the controller is down"}`;
    return [how, ...gone.map((one) => `- ${one}`), ...come.map((one) => `+ ${one}`)];
  });
  return [JSON.stringify(weights), fc.stringify(bare), ...differences.flat()].join("\n");
}
