// What decides crossings, in explain's words. Of a denial it is the side that denies: the asked end's where both do, for the other
// then makes no difference. Where a verdict is unknown, or depends on what was not read, explain is asked about one connection.

import { refOf } from "../analysis/ref.ts";
import type { Caveat, Side } from "../explain/answer.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { tierRefOf, tierText } from "../explain/tiers.ts";
import type { ClassPair, Crossing, FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import { isSubject } from "../crossings/ends.ts";
import { addressCaveat } from "../explain/caveats.ts";
import type { Direction } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import type { Decision, SideDecision } from "../verdicts/questions/decisions.ts";
import type { Entry } from "../verdicts/entries.ts";
import { saidIn } from "../verdicts/entries.ts";
import type { Decider } from "./report.ts";

export interface Decided {
  readonly verdict: Crossing["verdict"];
  /** null: the other side denies, whatever this one says. */
  readonly egress: Decider | null;
  readonly ingress: Decider | null;
  readonly why: readonly Caveat[];
  /** Equal for equal deciders. */
  readonly text: string;
}

type Sides = Readonly<Record<Direction, Decider>>;

export class Deciders {
  readonly #asked: AskedWorld;
  readonly #blamed: Direction | null;
  readonly #known = new Map<string, Decided>();
  readonly #ofEntries = new Map<Entry, Decider>();
  readonly #made = new Map<string, Decided>();

  /** `blamed`: the side that a denial is put down to where both deny; null: both are given. */
  constructor(asked: AskedWorld, blamed: Direction | null) {
    this.#asked = asked;
    this.#blamed = blamed;
  }

  of(family: FamilyCrossings, crossing: Crossing, pair: ClassPair): Decided {
    // Explain says whether policies apply to an end at all.
    const key = [crossing.how, isSubject(pair.from), isSubject(pair.to)].join(" ");
    const known = this.#known.get(key) ?? this.#decided(family, crossing, pair);
    this.#known.set(key, known);
    return known;
  }

  #decided(
    family: FamilyCrossings,
    { verdict, how, sides, traffic, ways }: Crossing,
    pair: ClassPair,
  ): Decided {
    const isByPlace = ways.length > 0 && ways.every((way) => way.verdict !== "unknown");
    if (sides !== null && (verdict !== "unknown" || isByPlace)) {
      const { from, to } = pair;
      return this.#blaming(
        verdict,
        { egress: this.#side(sides.egress, from), ingress: this.#side(sides.ingress, to) },
        verdict === "unknown" ? [addressCaveat([], partsOf(ways))] : [],
      );
    }
    const connection = family.exampleOf(pair, traffic);
    if (connection === null) return this.#blaming(verdict, { egress: exempt, ingress: exempt });
    const { egress, ingress, caveats } = family.sidesOf(connection);
    const why = verdict === "unknown" ? [...caveats, ...(how === "too many" ? [tooMany] : [])] : [];
    return this.#blaming(verdict, { egress: deciderOf(egress), ingress: deciderOf(ingress) }, why);
  }

  #blaming(verdict: Crossing["verdict"], { egress, ingress }: Sides, why: readonly Caveat[] = []): Decided {
    const isIdle = (side: Direction): boolean => {
      const [own, other] = side === "egress" ? [egress, ingress] : [ingress, egress];
      if (verdict !== "deny" || this.#blamed === null || other.verdict !== "deny") return false;
      return own.verdict !== "deny" || this.#blamed !== side;
    };
    const decided = {
      verdict,
      egress: isIdle("egress") ? null : egress,
      ingress: isIdle("ingress") ? null : ingress,
      why,
    };
    const text = JSON.stringify(decided);
    const known = this.#made.get(text) ?? { ...decided, text };
    this.#made.set(text, known);
    return known;
  }

  #side({ by: [entry], verdict }: SideDecision, end: EndClass): Decider {
    if (!isSubject(end)) return exempt;
    if (entry === undefined) return { verdict, by: "default" };
    // It decides at some places only.
    if (verdict === "unknown") return this.#ofEntry(entry, verdict);
    const known = this.#ofEntries.get(entry) ?? this.#ofEntry(entry, verdict);
    this.#ofEntries.set(entry, known);
    return known;
  }

  #ofEntry({ said }: Entry, verdict: Decider["verdict"]): Decider {
    const { policy, direction, rule } = saidIn(said);
    const decider = { verdict, tier: tierText(tierRefOf(policy)), policy: refOf(policy) };
    return rule === null
      ? { ...decider, by: "isolation" }
      : { ...decider, by: "rule", rule: this.#asked.ruleRefOf(policy, direction, rule) };
  }
}

const tooMany: Caveat = {
  code: "NotRead",
  text: "too much was not read to look at each connection: ask about one end and one port, or ask explain",
};

const exempt: Decider = { verdict: "allow", by: "exempt" };

/** What decides at one place and not at another, each once. */
function partsOf(ways: readonly Decision[]): readonly ReturnType<typeof saidIn>[] {
  const entries = new Set(
    directions.flatMap((direction) => {
      const decided = ways.map((way) => way[direction].by);
      const isOne = decided.every(([entry]) => entry === decided[0]?.[0]);
      return isOne ? [] : decided.flat();
    }),
  );
  return [...entries].map(({ said }) => saidIn(said));
}

function deciderOf(side: Side | null): Decider {
  if (side === null) return exempt;
  const { verdict, by, tier, policy, rule, tied } = side;
  return {
    ...{ verdict, by },
    ...(tier === undefined ? {} : { tier: tierText(side) }),
    ...(policy === undefined ? {} : { policy }),
    ...(rule === undefined ? {} : { rule }),
    ...(tied === undefined ? {} : { tied }),
  };
}
