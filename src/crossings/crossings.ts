// Who may connect to whom, class by class of ends: the engine's decisions (verdicts/decisions.ts) where everything was read, and
// explain's where the verdict depends on what was not. Connections of which at least one end is a pod on the pod network are
// meant, never one of a pod to itself. Invariant: every part of the traffic between two classes is in exactly one crossing.

import type { AskedWorld } from "../explain/asked.ts";
import type { Sides } from "../explain/side.ts";
import { knownSides } from "../explain/sides.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { ipFamilies, parseIp } from "../model/ip.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import type { Direction, PortMatch } from "../policy/ir.ts";
import { openPolicies } from "../unknowns/open-policies.ts";
import type { Decision, SideDecision } from "../verdicts/decisions.ts";
import { Decisions } from "../verdicts/decisions.ts";
import { openNamespaces } from "../verdicts/ends/open-namespaces.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Framed } from "../verdicts/frames.ts";
import { framesOf } from "../verdicts/frames.ts";
import { pointIn, trafficAt } from "../verdicts/representative.ts";
import type { Interval, Traffic, TrafficCuts } from "../verdicts/traffic.ts";
import { noTraffic } from "../verdicts/traffic.ts";
import type { ClassVerdict } from "../verdicts/walk.ts";
import type { EndClass } from "./ends.ts";
import { bordersIn, EndClasses, nodePortsIn } from "./ends.ts";

/** Connections between two classes that are decided alike. */
export interface Crossing {
  readonly verdict: ClassVerdict;
  readonly traffic: Traffic;
  /** Equal for crossings that the same decides on each side. */
  readonly how: string;
  /** The engine's; null: explain has decided. */
  readonly sides: Readonly<Record<Direction, SideDecision>> | null;
}

export interface ClassPair {
  readonly from: EndClass;
  readonly to: EndClass;
}

/** What is asked about. */
export interface CrossingQuestion {
  /** Networks that are asked about, whose borders divide addresses. */
  readonly networks: readonly Cidr[];
  /** null: all traffic. */
  readonly ports: readonly PortMatch[] | null;
}

/** Questions to explain, of one family. Where more would be needed, the verdict is unknown. */
const mostAsked = 20_000;

export class Crossings {
  readonly families: readonly FamilyCrossings[];

  constructor(asked: AskedWorld, { networks, ports }: CrossingQuestion) {
    const { policies, open } = openPolicies(asked.unknowns, asked.foreign);
    const world = { policies: [...asked.possible, ...policies], facts: asked.facts, open };
    const worlds = { old: world, new: world };
    const { frames, cuts } = framesOf(worlds, {
      ...{ open: new Set<string>(), isWhole: false },
      borders: [...networks, ...bordersIn(asked)],
      ports: [...nodePortsIn(asked), ...(ports ?? [])],
    });
    const unread = openNamespaces(worlds);
    this.families = ipFamilies.map(
      (family) => new FamilyCrossings({ asked, framed: frames[family], cuts, unread, family, ports }),
    );
  }
}

interface FamilyInput {
  readonly asked: AskedWorld;
  readonly framed: Framed;
  readonly cuts: TrafficCuts;
  readonly unread: ReadonlySet<string>;
  readonly family: IpFamily;
  readonly ports: readonly PortMatch[] | null;
}

export class FamilyCrossings {
  readonly family: IpFamily;
  /** What is asked about. */
  readonly traffic: Traffic;
  readonly #input: FamilyInput;
  readonly #ends: EndClasses;
  readonly #decisions: Decisions;
  readonly #known = new Map<readonly Decision[], Map<Traffic, readonly Crossing[]>>();
  #asked = 0;

  constructor(input: FamilyInput) {
    const { asked, framed, cuts, unread, family, ports } = input;
    this.#input = input;
    this.family = family;
    this.traffic =
      ports === null ? cuts.direct : cuts.direct & cuts.of({ ports }, family, { from: [], to: [] });
    this.#ends = new EndClasses(asked, framed, cuts, unread);
    this.#decisions = new Decisions(framed.frame, cuts, this.traffic);
  }

  /** Pairs of kinds, pairs of lists of rules, and questions to explain; tests count them. */
  get work(): Decisions["work"] & { readonly asked: number } {
    return { ...this.#decisions.work, asked: this.#asked };
  }

  classes(role: Role): readonly EndClass[] {
    return this.#ends.of(role);
  }

  piecesWithin(networks: readonly Cidr[]): ReadonlySet<number> {
    const { space } = this.#input.framed.frame;
    return new Set(networks.flatMap((network) => space.piecesWithin(network, [])));
  }

  networksOf(pieces: readonly number[]): readonly Cidr[] {
    return this.#input.framed.frame.space.networksOf(pieces);
  }

  intervalsOf(traffic: Traffic): readonly Interval[] {
    return this.#input.cuts.intervalsOf(traffic);
  }

  /** None where there is no connection. The same list for pairs that are decided alike. */
  between(from: EndClass, to: EndClass): readonly Crossing[] {
    if (sampleOf(from, to) === null) return none;
    const traffic = this.traffic & to.traffic;
    if (from.isDoubtful || to.isDoubtful) return this.#doubtful(from, to, traffic);
    return this.#crossingsOf(this.#decisions.between(from.kind, to.kind), traffic);
  }

  /** One connection of the traffic; null: there is none. */
  exampleOf({ from, to }: ClassPair, traffic: Traffic): Connection | null {
    const sample = sampleOf(from, to);
    const point = pointIn(this.intervalsOf(traffic), this.family);
    if (sample === null || point === null) return null;
    const ends = { from: this.#endOf(sample.from), to: this.#endOf(sample.to) };
    return { ...ends, ...trafficAt(point) };
  }

  /** What explain says of the connection. */
  sidesOf(connection: Connection): Sides {
    return knownSides(this.#input.asked, connection, { isDetailed: false });
  }

  #crossingsOf(decisions: readonly Decision[], traffic: Traffic): readonly Crossing[] {
    const alike = this.#known.get(decisions) ?? new Map<Traffic, readonly Crossing[]>();
    this.#known.set(decisions, alike);
    const known = alike.get(traffic);
    if (known !== undefined) return known;
    const made = decisions.flatMap(({ verdict, how, egress, ingress, ...decided }): readonly Crossing[] => {
      const own = decided.traffic & traffic;
      return own === noTraffic ? [] : [{ verdict, how, traffic: own, sides: { egress, ingress } }];
    });
    alike.set(traffic, made);
    return made;
  }

  #doubtful(from: EndClass, to: EndClass, traffic: Traffic): readonly Crossing[] {
    const found = new Map<string, Crossing>();
    for (const part of partsOf(traffic)) {
      const connection = this.exampleOf({ from, to }, part);
      if (connection === null) continue;
      const [verdict, how] = this.#asks(connection);
      found.set(how, {
        ...{ verdict, how, sides: null },
        traffic: part | (found.get(how)?.traffic ?? noTraffic),
      });
    }
    return [...found.values()];
  }

  #asks(connection: Connection): readonly [ClassVerdict, string] {
    this.#asked += 1;
    if (this.#asked > mostAsked) return ["unknown", "too many"];
    const { verdict, egress, ingress, caveats } = this.sidesOf(connection);
    return [verdict, JSON.stringify([verdict, egress, ingress, verdict === "unknown" ? caveats : []])];
  }

  #endOf(sample: Sample): End {
    if (typeof sample !== "number") return sample;
    const ip = parseIp(this.#input.framed.frame.space.freeIn(sample) ?? "");
    if (ip === null) throw new TypeError("a piece of the addresses without an address");
    return { ip, pod: null };
  }
}

const none: readonly Crossing[] = [];

/** A pod's end, or a piece. */
type Sample = End | number;

interface Pair {
  readonly from: Sample;
  readonly to: Sample;
}

/** The first two ends that are not one pod, nor both addresses. */
function sampleOf(from: EndClass, to: EndClass): Pair | null {
  for (const source of samplesOf(from))
    for (const target of samplesOf(to)) if (isConnection(source, target)) return { from: source, to: target };
  return null;
}

function* samplesOf({ pods, pieces }: EndClass): Generator<Sample, void> {
  for (const { end } of pods) yield end.new;
  if (pieces[0] !== undefined) yield pieces[0];
}

function isConnection(from: Sample, to: Sample): boolean {
  if (typeof from === "number" || typeof to === "number") return typeof from !== typeof to;
  return from.pod !== to.pod;
}

/** Each part of the traffic alone. */
function* partsOf(traffic: Traffic): Generator<Traffic, void> {
  for (let rest = traffic, part = 1n; rest !== noTraffic; rest >>= 1n, part <<= 1n)
    if ((rest & 1n) === 1n) yield part;
}
