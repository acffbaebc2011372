// What decides a crossing on either side, in explain's words: explain is asked about one connection for all crossings that the
// same entries decide.

import type { Caveat, Side } from "../explain/answer.ts";
import type { Crossing, FamilyCrossings } from "../crossings/crossings.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Decider } from "./report.ts";

export interface Decided {
  readonly verdict: Crossing["verdict"];
  readonly egress: Decider;
  readonly ingress: Decider;
  readonly why: readonly Caveat[];
  /** Equal for equal deciders. */
  readonly text: string;
}

export class Deciders {
  readonly #known = new Map<string, Decided>();

  /** `connection`: one of the crossing. */
  of(family: FamilyCrossings, { verdict, how }: Crossing, connection: Connection): Decided {
    const known = this.#known.get(how);
    if (known !== undefined) return known;
    const { egress, ingress, caveats } = family.sidesOf(connection);
    const decided = {
      ...{ verdict, egress: deciderOf(egress), ingress: deciderOf(ingress) },
      why: verdict === "unknown" ? [...caveats, ...(how === "too many" ? [tooMany] : [])] : [],
    };
    const made = { ...decided, text: JSON.stringify(decided) };
    this.#known.set(how, made);
    return made;
  }
}

const tooMany: Caveat = {
  code: "NotRead",
  text: "too much was not read to look at each connection: ask about one end and one port, or ask explain",
};

const exempt: Decider = { verdict: "allow", by: "exempt" };

function deciderOf(side: Side | null): Decider {
  if (side === null) return exempt;
  const { verdict, by, tier, tierName, policy, rule, tied } = side;
  return {
    ...{ verdict, by },
    ...(tier === undefined ? {} : { tier: tierName ?? tier }),
    ...(policy === undefined ? {} : { policy }),
    ...(rule === undefined ? {} : { rule }),
    ...(tied === undefined ? {} : { tied }),
  };
}
