// Both sides of a connection whose ends are known: the verdict of each and of both together, and what a reader must know.
// Invariant: the verdict is the judge's (policy/evaluate.ts), or unknown where a caveat says why.

import { podKey } from "../model/facts.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Direction } from "../policy/ir.ts";
import type { Caveat } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { sharedCaveat, tieCaveat } from "./caveats.ts";
import { isJudged, openVerdicts } from "./open.ts";
import { pluginCaveats, toItself } from "./plugin.ts";
import type { AnsweredSide, Sides } from "./side.ts";
import { answeredSide, onlyOf } from "./side.ts";

export interface ExplainOptions {
  /** Both unless given. */
  readonly directions?: readonly Direction[];
  /** Whether to show what lost and what nearly matched. */
  readonly isDetailed: boolean;
}

/** As `sidesOf`, but open where it depends on which of the pods with an end's address is meant: rules know others by address. */
export function knownSides(asked: AskedWorld, connection: Connection, options: ExplainOptions): Sides {
  const sides = sidesOf(asked, connection, options);
  const { from, to } = connection;
  const shared = [from, to].filter(({ ip, pod }) => pod !== null && asked.ends.holders(ip).length > 1);
  if (shared.length === 0) return sides;
  const ends = (end: End): readonly End[] =>
    shared.includes(end) ? asked.ends.holders(end.ip).map((pod) => ({ ...end, pod })) : [end];
  const verdicts = ends(from).flatMap((one) =>
    ends(to).map(
      (other) =>
        sidesOf(asked, { ...connection, from: one, to: other }, { ...options, isDetailed: false }).verdict,
    ),
  );
  return {
    ...sides,
    verdict: new Set(verdicts).size === 1 ? sides.verdict : "unknown",
    caveats: [...shared.map((end) => sharedCaveat(end, asked.ends.holders(end.ip))), ...sides.caveats],
  };
}

/** Of ends that are known already: those of a test or of another command. */
export function sidesOf(
  asked: AskedWorld,
  connection: Connection,
  { directions = ["egress", "ingress"], isDetailed }: ExplainOptions,
): Sides {
  const { from, to } = connection;
  const isSelf = isSamePod(from, to);
  const isExempt = (direction: Direction): boolean => isSelf || !isJudged(connection, direction);
  const open = openVerdicts(asked, { connection, directions, isExempt });
  const judgement = judge(connection, asked.facts, asked.policiesOf(connection));
  const told = (direction: Direction): AnsweredSide | null =>
    directions.includes(direction)
      ? answeredSide(asked, {
          ...{ direction, connection, isDetailed },
          ...{ decision: judgement[direction], verdicts: open[direction], isExempt: isExempt(direction) },
        })
      : null;
  const [egress, ingress] = [told("egress"), told("ingress")];
  const ties = [egress, ingress].flatMap((one) => one?.ties ?? []);
  const sides: Sides = {
    verdict: onlyOf(open.all),
    egress: egress?.side ?? null,
    ingress: ingress?.side ?? null,
    caveats: [
      ...(isSelf ? [hairpin] : pluginCaveats(asked, connection, judgement, directions)),
      ...ties.map((tie) => tieCaveat(tie, asked)),
      ...open.caveats,
    ],
  };
  return isSelf ? toItself(asked, connection, sides) : sides;
}

/** Two pods of one template are two. */
function isSamePod({ pod: one }: End, { pod: other }: End): boolean {
  if (one === null || other === null || one.isTemplate === true) return false;
  return podKey(one.namespace, one.name) === podKey(other.namespace, other.name);
}

const hairpin: Caveat = {
  code: "Hairpin",
  text: "a pod that connects to itself is not subject to policies",
};
