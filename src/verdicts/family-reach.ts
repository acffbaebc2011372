// Which rules the ends of one family meet in one world: classes of ends as subjects and as peers of a direction, and the row of
// each pair of them, which is made once for all pairs that meet the same rules and ask for the same ports.

import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { PartOfNetwork } from "../model/cidr.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import type { End } from "../policy/evaluate.ts";
import type { Workload } from "../model/workload.ts";
import { anyNode } from "../model/workload.ts";
import type { Direction } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import type { PortsId } from "./ends/declared-ports.ts";
import type { Kind, Role } from "./ends/kinds.ts";
import { placeOf, portsOf, subjectSide } from "./ends/kinds.ts";
import type { EndPlace } from "./ends/place.ts";
import type { Entry } from "./entries.ts";
import type { Frame } from "./frame.ts";
import type { Framed } from "./frames.ts";
import type { ListId } from "./lists.ts";
import type { Row } from "./row.ts";
import { rowOf } from "./row.ts";
import type { Side } from "./side.ts";
import type { TrafficCuts } from "./traffic.ts";
import { Walker } from "./walker.ts";

/** Ends that the same rules and isolations apply to, or that the same rules name; with the same named ports. */
export interface EndClass {
  /** On the side's own table, rows of subjects or columns of peers: one, or all that pods of the workloads may have. */
  readonly places: readonly number[];
  readonly ports: PortsId;
  readonly pods: ReadonlySet<PodFact>;
  readonly hasAddress: boolean;
  /** Those that stand for pods. */
  readonly workloads: readonly Workload[];
}

/** Classes of ends, and the rows that they meet. */
export interface Pair {
  readonly family: IpFamily;
  readonly direction: Direction;
  readonly subject: EndClass;
  readonly peer: EndClass;
  /** One; of workloads, those of all places that their pods may have, each once. */
  readonly rows: readonly Row[];
}

/** Addresses that every rule sees alike, and one of them. */
export interface AddressClass {
  readonly end: End;
  readonly networks: readonly Cidr[];
}

interface Classes {
  readonly subjects: readonly EndClass[];
  readonly peers: readonly EndClass[];
}

export class FamilyReach {
  readonly #frame: Frame;
  readonly #walker: Walker;
  readonly #classes: Readonly<Record<Direction, Classes>>;
  readonly #rows = { egress: new Map<string, Row>(), ingress: new Map<string, Row>() };
  readonly #byNetwork = new Map<Entry, ReadonlySet<number>>();

  constructor({ frame, kinds }: Framed, cuts: TrafficCuts) {
    this.#frame = frame;
    this.#walker = new Walker(frame, cuts, cuts.all(frame.family));
    const classes = (subject: Role, peer: Role): Classes => ({
      subjects: this.#subjects(kinds[subject], subjectSide[subject]),
      peers: classesOf(kinds[peer], ({ places }) => places.new.flatMap(({ columns }) => columns)),
    });
    this.#classes = { egress: classes("from", "to"), ingress: classes("to", "from") };
  }

  /** How many rules had a say in the rows that were made. */
  get steps(): number {
    return this.#walker.steps;
  }

  /** How many rows were made. */
  get made(): number {
    return this.#rows.egress.size + this.#rows.ingress.size;
  }

  /** How many pairs there are. */
  get possible(): number {
    const { egress, ingress } = this.#classes;
    return [egress, ingress].reduce((sum, { subjects, peers }) => sum + subjects.length * peers.length, 0);
  }

  /** Every pair of classes between which there is a connection. */
  *pairs(direction: Direction): Generator<Pair, void> {
    const { subjects, peers } = this.#classes[direction];
    const { family, declared } = this.#frame;
    for (const subject of subjects) {
      const lists = subject.places.map((at) => this.#side(direction).listsOf(at));
      for (const peer of peers) {
        if (!haveConnection(subject, peer)) continue;
        const [from, to] = direction === "egress" ? [subject, peer] : [peer, subject];
        const ports = declared.both(from.ports, to.ports);
        const rows = listsMet(lists, peer).map((list) => this.#row(direction, list, ports));
        yield { family, direction, subject, peer, rows };
      }
    }
  }

  /** The row of two ends that are not the same pod; null: no policy applies to this side. */
  row(direction: Direction, from: End, to: End): Row | null {
    const [own, other] = direction === "egress" ? [from, to] : [to, from];
    const { rows, columns } = this.#side(direction);
    const row = rows.of(this.#placeOf(own));
    const column = columns.find(this.#placeOf(other));
    if (row === 0 || column === null) return null;
    const { declared, worlds } = this.#frame;
    const portsAt = (role: Role, { pod }: End) => portsOf(this.#frame, worlds.new, role, pod);
    const ports = declared.both(portsAt("from", from), portsAt("to", to));
    return this.#row(direction, this.#side(direction).listsOf(row)[column] ?? 0, ports);
  }

  /** Equal for ends that every rule sees alike at either end of a connection. */
  signOf(end: End): string {
    const place = this.#placeOf(end);
    const { worlds } = this.#frame;
    const ports = (["from", "to"] as const).map((role) => portsOf(this.#frame, worlds.new, role, end.pod));
    return [...this.#at(place), ...ports].join(" ");
  }

  /** Of those that no pod has. */
  addresses(networks: readonly PartOfNetwork[]): readonly AddressClass[] {
    const { space } = this.#frame;
    const pieces = new Set(networks.flatMap(({ cidr, except }) => space.piecesWithin(cidr, except)));
    const found = [...pieces].flatMap((piece) => {
      const ip = space.freeIn(piece);
      return ip === null ? [] : [{ piece, end: { ip, pod: null } }];
    });
    const alike = Map.groupBy(found, ({ end }) => this.signOf(end));
    return [...alike.values()].flatMap((some) =>
      some
        .slice(0, 1)
        .map(({ end }) => ({ end, networks: space.networksOf(some.map(({ piece }) => piece)) })),
    );
  }

  #at(place: EndPlace): readonly (number | null)[] {
    return directions.flatMap((one) => [this.#side(one).rows.of(place), this.#side(one).columns.find(place)]);
  }

  /** One end for each way in which rules can tell apart the places that a template's pods may have; null: on any node. */
  placed({ template }: Workload, on: string | null): readonly End[] {
    const found = new Map<string, End>();
    const every = [anyNode, ...directions.flatMap((one) => this.#side(one).rows.nodes)];
    const nodes = new Set(on === null ? every : [on]);
    for (const { ip } of this.#frame.placesOfPods)
      for (const node of nodes) {
        const end = { ip, pod: { ...template, node, ips: [ip] } };
        const at = this.#at(this.#placeOf(end));
        if (!found.has(at.join(" "))) found.set(at.join(" "), end);
      }
    return [...found.values()];
  }

  /** Those that the end is a subject of. */
  applied(direction: Direction, end: End): readonly Entry[] {
    const { rows } = this.#side(direction);
    return rows.at(rows.of(this.#placeOf(end))).entries;
  }

  /** Whether the entry names the peer by a network and by nothing else, wherever it is. */
  namesByNetwork(direction: Direction, entry: Entry, { places }: EndClass): boolean {
    const known = this.#byNetwork.get(entry);
    const columns = known ?? new Set(this.#side(direction).columns.byNetworkAlone(entry));
    if (known === undefined) this.#byNetwork.set(entry, columns);
    return places.every((at) => columns.has(at));
  }

  #side(direction: Direction): Side {
    return this.#frame.sides[direction].new;
  }

  /** What is outside the pod network is an address, as for the judge. */
  #placeOf({ ip, pod }: End): EndPlace {
    const onNetwork = pod !== null && isOnPodNetwork(pod) ? pod : null;
    return placeOf(this.#frame, this.#frame.worlds.new, { ip, pod: onNetwork });
  }

  #subjects(kinds: readonly Kind[], direction: Direction): readonly EndClass[] {
    const { rows } = this.#side(direction);
    const applied = (kind: Kind): readonly number[] => {
      const all = kind.places.new.flatMap((group) => group.rows);
      return all.some((row) => rows.at(row).entries.length > 0) ? all : [];
    };
    return classesOf(kinds, applied);
  }

  #row(direction: Direction, list: ListId, ports: PortsId): Row {
    const asked = this.#walker.hasNames(list) ? ports : 0;
    const key = `${list} ${asked}`;
    const known = this.#rows[direction].get(key);
    if (known !== undefined) return known;
    const row = rowOf(this.#walker.walk(list, asked));
    this.#rows[direction].set(key, row);
    return row;
  }
}

/** Each once. */
function listsMet(lists: readonly ArrayLike<ListId>[], { places }: EndClass): readonly ListId[] {
  const [[list], [at]] = [lists, places];
  if (lists.length === 1 && places.length === 1) return [list?.[at ?? 0] ?? 0];
  return [...new Set(lists.flatMap((one) => places.map((place) => one[place] ?? 0)))];
}

/** `placesIn`: the rows or columns that the kind may have; none: it is in no class. */
function classesOf(kinds: readonly Kind[], placesIn: (kind: Kind) => readonly number[]): readonly EndClass[] {
  const placed = kinds.flatMap((kind) => {
    const places = [...new Set(placesIn(kind))].sort((a, b) => a - b);
    return places.length === 0 ? [] : [{ places, kind }];
  });
  const groups = Map.groupBy(placed, ({ places, kind }) => `${places.join()} ${kind.ports.new}`);
  return [...groups.values()].flatMap((alike) =>
    alike.slice(0, 1).map(({ places, kind: first }) => ({
      ...{ places, ports: first.ports.new },
      pods: new Set(alike.flatMap(({ kind }) => kind.pods.flatMap(({ end }) => end.new.pod ?? []))),
      hasAddress: alike.some(({ kind }) => kind.pieces.length > 0),
      workloads: alike.flatMap(({ kind }) => kind.workloads.map(({ workload }) => workload.new)),
    })),
  );
}

/** The pods of a class, and templates of those that are not there. */
export function podsOf({ pods, workloads }: Pick<EndClass, "pods" | "workloads">): readonly PodFact[] {
  return [...pods, ...workloads.map(({ template }) => template)];
}

/** Never of a pod to itself. */
function haveConnection(subject: EndClass, peer: EndClass): boolean {
  if (peer.hasAddress || peer.workloads.length > 0 || subject.workloads.length > 0) return true;
  if (peer.pods.size > 1 || subject.pods.size > 1) return true;
  const [[one], [other]] = [[...subject.pods], [...peer.pods]];
  return one !== other;
}
