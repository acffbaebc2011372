// What every rule of the policies decides in one world, exactly. Connections of which at least one end is a pod on the pod
// network are evaluated, never one of a pod to itself. Proved equal to policy/evaluate.ts by reach.property.test.ts.

import type { Protocol } from "../model/facts.ts";
import type { PartOfNetwork } from "../model/cidr.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Workload } from "../model/workload.ts";
import type { End } from "../policy/evaluate.ts";
import type { Direction, Policy } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { inOrder } from "../policy/order.ts";
import type { Entry, OrderedRule } from "./entries.ts";
import { saidIn } from "./entries.ts";
import type { Pair } from "./family-reach.ts";
import type { AddressClass } from "./family-reach.ts";
import { FamilyReach } from "./family-reach.ts";
import type { Basis } from "./frame.ts";
import { framesOf } from "./frames.ts";
import { podFamiliesIn } from "./pod-families.ts";
import type { Row, SideVerdict, TrafficClass } from "./row.ts";
import { classesIn, ruleOf, verdictIn } from "./row.ts";
import type { Interval, Traffic, TrafficCuts } from "./traffic.ts";
import type { PolicyWorld } from "./worlds.ts";

/** What was done; tests bound it. */
export interface ReachWork {
  /** Selectors compared with labels. */
  readonly matches: number;
  /** Pairs of classes of ends. */
  readonly pairs: number;
  /** Different lists of rules that pairs meet. */
  readonly rows: number;
  /** Rules with a say in those lists. */
  readonly steps: number;
}

/** Direct connections between two ends that the same rules decide. */
export interface PairClass extends Omit<TrafficClass, "traffic"> {
  readonly traffic: readonly Interval[];
}

export class Reach {
  /** Those that pods have, or that nodes give them; IPv4 where neither is known. */
  readonly podFamilies: ReadonlySet<IpFamily>;
  /** In the order of evaluation; what the APIs leave open is in the order of the keys. */
  readonly policies: readonly Policy[];
  /** Likewise. */
  readonly rules: Readonly<Record<Direction, readonly OrderedRule[]>>;
  readonly #basis: Basis;
  readonly #cuts: TrafficCuts;
  readonly #families: Readonly<Record<"v4" | "v6", FamilyReach>>;
  readonly #places: Readonly<Record<Direction, ReadonlyMap<OrderedRule | Policy, number>>>;
  #rows: ReadonlySet<Row> | null = null;

  constructor(
    policies: readonly Policy[],
    facts: PolicyWorld["facts"],
    workloads: readonly Workload[] = [],
    borders: readonly Cidr[] = [],
  ) {
    this.podFamilies = podFamiliesIn(facts);
    const world = { policies, facts, workloads };
    const { basis, frames, cuts } = framesOf(
      { old: world, new: world },
      { open: new Set(), isWhole: true, borders },
    );
    this.#basis = basis;
    this.#cuts = cuts;
    this.#families = { v4: new FamilyReach(frames.v4, cuts), v6: new FamilyReach(frames.v6, cuts) };
    this.policies = inOrder(policies.toSorted(byKey), (policy) => policy);
    const rulesOf = (direction: Direction) =>
      basis.entries[direction].new.flatMap((entry) => ruleOf(entry) ?? []);
    this.rules = { ingress: rulesOf("ingress"), egress: rulesOf("egress") };
    const placesOf = (direction: Direction) =>
      new Map(basis.entries[direction].new.map((entry, at) => [whoIs(entry), at]));
    this.#places = { ingress: placesOf("ingress"), egress: placesOf("egress") };
  }

  get work(): ReachWork {
    const families = Object.values(this.#families);
    const { namespaces, pods } = this.#basis;
    return {
      matches: namespaces.compared + pods.compared,
      pairs: families.reduce((sum, { possible }) => sum + possible, 0),
      rows: families.reduce((sum, { made }) => sum + made, 0),
      steps: families.reduce((sum, { steps }) => sum + steps, 0),
    };
  }

  /** Every pair of classes between which there is a connection; workloads have no addresses of a family that no pod has. */
  *pairs(): Generator<Pair, void> {
    const all = directions.flatMap((direction) =>
      Object.values(this.#families).map((family) => family.pairs(direction)),
    );
    for (const pairs of all)
      yield* pairs.filter((pair) => this.podFamilies.has(pair.family) || !areTemplatesAlone(pair));
  }

  /** Those of all pairs. */
  rows(): ReadonlySet<Row> {
    return (this.#rows ??= new Set(this.pairs().flatMap(({ rows }) => rows)));
  }

  /** What one side says of the traffic between two ends of one family that are not the same pod. */
  side(direction: Direction, from: End, to: End, traffic: Traffic): SideVerdict {
    return verdictIn(this.#families[familyOf(from.ip)].row(direction, from, to), traffic);
  }

  /** All direct connections between two ends of one family that are not the same pod. */
  between(from: End, to: End): readonly PairClass[] {
    const family = this.#families[familyOf(from.ip)];
    const [egress, ingress] = [family.row("egress", from, to), family.row("ingress", from, to)];
    return classesIn(egress, ingress, this.#cuts.direct).map((one) => {
      return { ...one, traffic: this.#cuts.intervalsOf(one.traffic) };
    });
  }

  /** Equal for ends that every rule sees alike at either end of a connection. */
  signOf(end: End): string {
    return this.#families[familyOf(end.ip)].signOf(end);
  }

  /** What the policies say on each side, as one object for all pairs that meet the same; null: no policy applies. */
  meeting(from: End, to: End): Readonly<Record<Direction, Row | null>> {
    const family = this.#families[familyOf(from.ip)];
    return { egress: family.row("egress", from, to), ingress: family.row("ingress", from, to) };
  }

  /** The addresses of the networks that are no pod's, by what every rule sees alike; the borders must have been given. */
  addresses(networks: readonly PartOfNetwork[]): readonly AddressClass[] {
    return Object.values(this.#families).flatMap((family) => family.addresses(networks));
  }

  /** Ends that stand for all places that a workload's pods may have, of both families; on a node where one is given. */
  placed(workload: Workload, node: string | null = null): readonly End[] {
    return Object.values(this.#families).flatMap((family) => family.placed(workload, node));
  }

  /** Whether a side denies everything of the protocol between two ends. */
  deniesAll(direction: Direction, from: End, to: End, protocol: Protocol): boolean {
    return this.side(direction, from, to, this.#cuts.allOf(protocol)).verdict === "deny";
  }

  /** The policies that have a rule about the end as their subject, or isolate it. */
  policiesOf(direction: Direction, end: End): ReadonlySet<Policy> {
    const entries = this.#families[familyOf(end.ip)].applied(direction, end);
    return new Set(entries.map(({ said }) => saidIn(said).policy));
  }

  /** The rules that are about the end as their subject, in the order of evaluation. */
  rulesOf(direction: Direction, end: End): readonly OrderedRule[] {
    return this.#families[familyOf(end.ip)].applied(direction, end).flatMap((entry) => ruleOf(entry) ?? []);
  }

  /** What the rule matches between ends of the family that declare no ports. */
  trafficOf({ rule }: Pick<OrderedRule, "rule">, family: IpFamily): Traffic {
    return this.#cuts.of(rule, family, { from: [], to: [] });
  }

  /** Whether the rule names the peer of the pair by a network and by nothing else, wherever it is. */
  namesByNetwork(rule: OrderedRule, { family, peer }: Pair): boolean {
    const { direction } = rule;
    const entry = this.#basis.entries[direction].new[this.placeOf(direction, rule)];
    return entry !== undefined && this.#families[family].namesByNetwork(direction, entry, peer);
  }

  /** Among all of the direction, in the order of evaluation; of a policy, where it isolates. */
  placeOf(direction: Direction, one: OrderedRule | Policy): number {
    return this.#places[direction].get(one) ?? -1;
  }

  /** Traffic of the protocol to the port, from any source port, straight and through a load balancer. */
  at(protocol: Protocol, port: number): Traffic {
    return this.#cuts.at(protocol, port);
  }
}

/** At one end at least. */
function areTemplatesAlone({ subject, peer }: Pair): boolean {
  return [subject, peer].some(
    ({ pods, hasAddress, workloads }) => workloads.length > 0 && pods.size === 0 && !hasAddress,
  );
}

function whoIs(entry: Entry): OrderedRule | Policy {
  return ruleOf(entry) ?? saidIn(entry.said).policy;
}

function byKey(a: Policy, b: Policy): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
