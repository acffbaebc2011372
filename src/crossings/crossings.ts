// Who may connect to whom, class by class of ends: the engine's decisions (verdicts/questions/decisions.ts) where everything was read, and
// explain's where the verdict depends on what was not. Connections of which at least one end is a pod on the pod network, or a
// workload that stands for such pods, are meant, never one of a pod to itself. Invariant: every part of the traffic between two classes is in exactly one crossing.

import { unplaced } from "../analysis/ends.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { placedSides } from "../explain/many/placed.ts";
import type { Sides } from "../explain/side.ts";
import { knownSides } from "../explain/sides.ts";
import { aloneIn } from "../model/cidr.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { ipFamilies, parseIp } from "../model/ip.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import type { Direction } from "../policy/ir.ts";
import { openPolicies } from "../unknowns/open-policies.ts";
import type { Decision, SideDecision } from "../verdicts/questions/decisions.ts";
import { Decisions } from "../verdicts/questions/decisions.ts";
import { openNamespaces } from "../verdicts/ends/open-namespaces.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Framed } from "../verdicts/frames.ts";
import { framesOf } from "../verdicts/frames.ts";
import { pointIn, trafficAt } from "../verdicts/questions/representative.ts";
import type { Interval, Traffic, TrafficCuts } from "../verdicts/traffic.ts";
import { noTraffic } from "../verdicts/traffic.ts";
import type { ClassVerdict } from "../verdicts/walk.ts";
import type { EndClass, OpenEnds } from "./ends.ts";
import { bordersIn, EndClasses, nodePortsIn, workloadFamilies } from "./ends.ts";
import { dividedByPorts } from "./own-ports.ts";
import type { AskedPorts } from "./ports-asked.ts";

/** Connections between two classes that are decided alike. */
export interface Crossing {
  readonly verdict: ClassVerdict;
  readonly traffic: Traffic;
  /** Equal for crossings that the same decides on each side. */
  readonly how: string;
  /** The engine's; null: explain has decided. */
  readonly sides: Readonly<Record<Direction, SideDecision>> | null;
  /** What is decided at each place of a workload's pods; none: the place makes no difference. */
  readonly ways: readonly Decision[];
}

export interface ClassPair {
  readonly from: EndClass;
  readonly to: EndClass;
}

/** What is asked about. */
export interface CrossingQuestion {
  /** Networks that are asked about, whose borders divide addresses. */
  readonly networks: readonly Cidr[];
  readonly ports: AskedPorts;
}

/** Questions to explain, of one family, one for each place of a workload's pods. Where more would be needed, the verdict is unknown. */
const mostAsked = 20_000;

export class Crossings {
  readonly families: readonly FamilyCrossings[];

  constructor(asked: AskedWorld, { networks, ports }: CrossingQuestion) {
    const { policies, open } = openPolicies(asked.unknowns, asked.foreign);
    const { facts, workloads, taken } = asked;
    const world = { policies: [...asked.possible, ...policies], facts, workloads, open };
    const worlds = { old: world, new: world };
    const hosts = Array.from(ports.own?.ofAddress.keys() ?? [], aloneIn);
    const { frames, cuts } = framesOf(worlds, {
      ...{ open: new Set<string>(), isWhole: false },
      borders: [...networks, ...bordersIn(asked), ...hosts],
      ...{ ports: [...nodePortsIn(asked), ...(ports.ports ?? [])], taken },
    });
    const doubts = { open: openNamespaces(worlds), families: workloadFamilies(asked, networks) };
    this.families = ipFamilies.map(
      (family) => new FamilyCrossings({ asked, framed: frames[family], cuts, doubts, family, ports }),
    );
  }
}

interface FamilyInput {
  readonly asked: AskedWorld;
  readonly framed: Framed;
  readonly cuts: TrafficCuts;
  readonly doubts: OpenEnds;
  readonly family: IpFamily;
  readonly ports: AskedPorts;
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
    const { asked, framed, cuts, doubts, family, ports } = input;
    this.#input = input;
    this.family = family;
    const way = ports.own?.isLed === true ? cuts.led : cuts.direct;
    const meant = ports.ports;
    this.traffic = meant === null ? way : way & cuts.of({ ports: meant }, family, { from: [], to: [] });
    this.#ends = new EndClasses(asked, framed, cuts, doubts);
    this.#decisions = new Decisions(framed.frame, cuts, this.traffic);
  }

  /** Pairs of kinds, pairs of lists of rules, and questions to explain; tests count them. */
  get work(): Decisions["work"] & { readonly asked: number } {
    return { ...this.#decisions.work, asked: this.#asked };
  }

  classes(role: Role): readonly EndClass[] {
    const { ports, cuts, framed } = this.#input;
    const all = this.#ends.of(role);
    return ports.own === null || role === "from"
      ? all
      : dividedByPorts(all, { own: ports.own, cuts, space: framed.frame.space });
  }

  /** Of all addresses that no pod has, whether the question means them or not. */
  piecesOf(role: Role): readonly number[] {
    return this.#ends.of(role).flatMap(({ pieces }) => pieces);
  }

  piecesWithin(networks: readonly Cidr[]): ReadonlySet<number> {
    const { space } = this.#input.framed.frame;
    return new Set(networks.flatMap((network) => space.piecesWithin(network, [])));
  }

  networksOf(pieces: readonly number[]): readonly Cidr[] {
    return this.#input.framed.frame.space.networksOf(pieces);
  }

  intervalsOf(traffic: Traffic): readonly Interval[] {
    const { cuts } = this.#input;
    return cuts.intervalsOf(cuts.directOf(traffic));
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
    const isLed = this.#input.ports.own?.isLed === true;
    return { ...ends, ...trafficAt(point), ...(isLed ? { translated: true } : {}) };
  }

  /** What explain says of the connection. */
  sidesOf(connection: Connection): Sides {
    const { asked } = this.#input;
    return placedSides(asked, connection, { from: null, to: null }, (one) => {
      this.#asked += 1;
      return knownSides(asked, one, { isDetailed: false });
    });
  }

  #crossingsOf(decisions: readonly Decision[], traffic: Traffic): readonly Crossing[] {
    const alike = this.#known.get(decisions) ?? new Map<Traffic, readonly Crossing[]>();
    this.#known.set(decisions, alike);
    const known = alike.get(traffic);
    if (known !== undefined) return known;
    const made = decisions.flatMap(
      ({ verdict, how, egress, ingress, ways = [], ...decided }): readonly Crossing[] => {
        const own = decided.traffic & traffic;
        return own === noTraffic ? [] : [{ verdict, how, traffic: own, sides: { egress, ingress }, ways }];
      },
    );
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
        ...{ verdict, how, sides: null, ways: [] },
        traffic: part | (found.get(how)?.traffic ?? noTraffic),
      });
    }
    return [...found.values()];
  }

  #asks(connection: Connection): readonly [ClassVerdict, string] {
    if (this.#asked >= mostAsked) return ["unknown", "too many"];
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

function* samplesOf({ pods, workloads, pieces, family }: EndClass): Generator<Sample, void> {
  for (const { end } of pods) yield end.new;
  for (const { workload } of workloads) yield { ip: unplaced[family], pod: workload.new.template };
  if (pieces[0] !== undefined) yield pieces[0];
}

function isConnection(from: Sample, to: Sample): boolean {
  if (typeof from === "number" || typeof to === "number") return typeof from !== typeof to;
  // Two pods of one workload are two.
  return from.pod !== to.pod || from.pod?.isTemplate === true;
}

/** Each part of the traffic alone. */
function* partsOf(traffic: Traffic): Generator<Traffic, void> {
  for (let rest = traffic, part = 1n; rest !== noTraffic; rest >>= 1n, part <<= 1n)
    if ((rest & 1n) === 1n) yield part;
}
