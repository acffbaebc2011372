// Every verdict that is possible on a connection, on each side and in all: over the order of equal policies, rules that cannot be
// judged, labels that were not read, and policies of kinds that are not read; each with the caveat that says so.
// Invariant: a verdict is possible exactly when some choice of all that is open gives it, save where a caveat says that there
// were too many ways to ask about: then both are.

import { isOnPodNetwork } from "../model/facts.ts";
import type { Completions } from "../unknowns/completions.ts";
import { completionsOf } from "../unknowns/completions.ts";
import type { Unknown } from "../unknowns/unknowns.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import { couldConcern } from "../unknowns/foreign.ts";
import { possibleOn } from "../unknowns/possible.ts";
import type { Connection, World } from "../policy/evaluate.ts";
import type { Direction } from "../policy/ir.ts";
import type { Verdict } from "../policy/ties.ts";
import { outcomesOn } from "../policy/ties.ts";
import type { Caveat } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { doubtCaveats, foreignCaveats, labelsCaveat } from "./caveats.ts";

type Verdicts = ReadonlySet<Verdict>;

export interface OpenVerdicts extends Readonly<Record<Direction, Verdicts>> {
  /** Of both sides together; a side that is not asked has no say. */
  readonly all: Verdicts;
  readonly caveats: readonly Caveat[];
}

export interface OpenQuestion {
  readonly connection: Connection;
  readonly directions: readonly Direction[];
  /** Whether policies have no say of the side. */
  readonly isExempt: (direction: Direction) => boolean;
}

const [allowed, denied]: readonly [Verdicts, Verdicts] = [new Set(["allow"]), new Set(["deny"])];
const either: Verdicts = new Set(["allow", "deny"]);

export function openVerdicts(asked: AskedWorld, question: OpenQuestion): OpenVerdicts {
  const { connection, directions, isExempt } = question;
  const judged = directions.filter((direction) => !isExempt(direction));
  const completions =
    judged.length === 0
      ? null
      : completionsOf(connection, asked.facts, [...asked.policies, ...asked.unknowns.unread]);
  const unknowns = new Set<Unknown>();
  const concerning = concerningOf(asked, question);
  const ways = (completions === null ? [asked.facts] : (completions.worlds ?? [])).map((world) =>
    wayIn(world, asked, question, unknowns),
  );
  const foreign = (direction: Direction, verdicts: Verdicts): Verdicts =>
    withForeign(verdicts, concerning[direction]);
  const tooMany = { egress: either, ingress: either };
  const all = (ways.length === 0 ? [tooMany] : ways).map((way) => ({
    egress: foreign("egress", isExempt("egress") ? allowed : way.egress),
    ingress: foreign("ingress", isExempt("ingress") ? allowed : way.ingress),
  }));
  const isOpen = all.some((way) => judged.some((side) => !isSame(way[side], all[0]?.[side] ?? way[side])));
  return {
    egress: union(all.map(({ egress }) => egress)),
    ingress: union(all.map(({ ingress }) => ingress)),
    all: union(all.map((way) => together(directions.map((direction) => way[direction])))),
    caveats: [
      ...doubtCaveats(unknowns, union(all.map((way) => together(directions.map((side) => way[side]))))),
      ...(completions !== null && (isOpen || completions.worlds === null)
        ? [labelsCaveat(askedOf(completions, judged))]
        : []),
      ...foreignCaveats(asked.foreign, new Set([...concerning.egress, ...concerning.ingress])),
    ],
  };
}

/** The verdicts of one world, and the doubts that it meets. */
function wayIn(
  world: World,
  asked: AskedWorld,
  { connection, directions, isExempt }: OpenQuestion,
  doubts: Set<Unknown>,
): Record<Direction, Verdicts> {
  const { possible, facts } = asked;
  const { rules, unread } = asked.unknowns;
  // Where labels are completed, policies may apply that do not apply to what was read.
  const policies = world === facts ? asked.policiesOf(connection) : asked.policies;
  const verdictsOn = (direction: Direction): Verdicts => {
    if (!directions.includes(direction) || isExempt(direction)) return allowed;
    if (rules.size === 0) return outcomesOn(direction, connection, world, policies).verdicts;
    const { verdicts, met } = possibleOn(
      ...([direction, connection, world, [...possible, ...unread]] as const),
      (rule) => rules.get(rule) ?? null,
    );
    for (const rule of met) {
      const doubt = rules.get(rule);
      if (doubt !== undefined) doubts.add(doubt);
    }
    return verdicts;
  };
  return { egress: verdictsOn("egress"), ingress: verdictsOn("ingress") };
}

function concerningOf(
  { foreign, ends }: AskedWorld,
  { connection, directions }: OpenQuestion,
): Readonly<Record<Direction, readonly ForeignPolicy[]>> {
  const on = (direction: Direction): readonly ForeignPolicy[] => {
    if (foreign.length === 0 || !directions.includes(direction)) return [];
    const { ip, pod } = direction === "egress" ? connection.from : connection.to;
    const isNode = pod === null && ends.isNode(ip);
    return foreign.filter((policy) => couldConcern(policy, direction, { pod, isNode }));
  };
  return { egress: on("egress"), ingress: on("ingress") };
}

function withForeign(verdicts: Verdicts, policies: readonly ForeignPolicy[]): Verdicts {
  if (policies.length === 0) return verdicts;
  return policies.some(({ effect }) => effect === "any") ? either : verdicts.union(denied);
}

/** The parts that ask for unknown labels on the sides that are asked. */
function askedOf({ parts, ...completions }: Completions, judged: readonly Direction[]): Completions {
  return { ...completions, parts: parts.filter(({ direction }) => judged.includes(direction)) };
}

/** A denial on one side is one, whatever the other says. */
function together(sides: readonly Verdicts[]): Verdicts {
  return sides.reduce<Verdicts>(
    (all, side) =>
      new Set([...all].flatMap((one) => [...side].map((other) => (one === "deny" ? one : other)))),
    allowed,
  );
}

function union(sets: readonly Verdicts[]): Verdicts {
  return new Set(sets.flatMap((set) => [...set]));
}

function isSame(one: Verdicts, other: Verdicts): boolean {
  return one.symmetricDifference(other).size === 0;
}

/** A pod on the pod network; policies have no say of another end. */
export function isJudged({ from, to }: Connection, direction: Direction): boolean {
  const { pod } = direction === "egress" ? from : to;
  return pod !== null && isOnPodNetwork(pod);
}
