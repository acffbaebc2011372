// The ends of connections in two worlds, joined into kinds that no rule of either world distinguishes: as sources, and as
// destinations, whose ports have names. A pod is an end by its first address of the family if it is on the pod network in both
// worlds and nothing that policies ask for of its namespace is unknown; any other address is one if no pod holds it in either.
// Where the two worlds are one, each address of a pod is an end.

import type { PodFact, PodKey } from "../../model/facts.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import type { IpFamily } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import { namespaceLabels, podLabels } from "../../model/selectable.ts";
import { anyNode } from "../../model/workload.ts";
import type { End } from "../../policy/evaluate.ts";
import type { Direction } from "../../policy/ir.ts";
import type { PortsId } from "./declared-ports.ts";
import type { Frame } from "../frame.ts";
import type { EndPlace } from "./place.ts";
import type { PlaceGroup, WorkloadEnd } from "./templates.ts";
import { placesOfTemplate, workloadsInBoth } from "./templates.ts";
import type { Age, Both, PolicyWorld } from "../worlds.ts";
import { both, ofEach } from "../worlds.ts";

export interface PodEnd {
  readonly key: PodKey;
  /** By key, among all of them. */
  readonly rank: number;
  readonly end: Both<End>;
}

/** Ends that are one to every rule in one role, source or destination: pods, or pieces of the addresses. */
export interface Kind {
  readonly pods: readonly PodEnd[];
  /** That stand for pods; then it has neither pods nor pieces, and any of the places. */
  readonly workloads: readonly WorkloadEnd[];
  readonly pieces: readonly number[];
  /** Where it may be; the rows and columns below are the first of them. */
  readonly places: Both<readonly PlaceGroup[]>;
  /** As the subject of its own side. */
  readonly rows: Both<number>;
  /** As a peer on the other side. */
  readonly columns: Both<number>;
  /** What its pods declare under the names that rules say of this role. */
  readonly ports: Both<PortsId>;
  /** A rule that both worlds have sees it otherwise in one of them. */
  readonly differs: boolean;
}

export type Role = "from" | "to";

export const subjectSide: Readonly<Record<Role, Direction>> = { from: "egress", to: "ingress" };
export const peerSide: Readonly<Record<Role, Direction>> = { from: "ingress", to: "egress" };

/** A kind that still grows. */
interface Growing extends Kind {
  readonly pods: PodEnd[];
  readonly workloads: WorkloadEnd[];
  readonly pieces: number[];
}

const nothing: Both<PortsId> = { old: 0, new: 0 };
const noPorts: Readonly<Record<Role, Both<PortsId>>> = { from: nothing, to: nothing };

interface Seen {
  readonly place: Both<EndPlace>;
  readonly ports: Readonly<Record<Role, Both<PortsId>>>;
}

export function kindsOf(frame: Frame): Readonly<Record<Role, readonly Kind[]>> {
  const found = { from: new Map<string, Growing>(), to: new Map<string, Growing>() };
  const kindFor = (role: Role, seen: Seen, isPod: boolean): Growing => {
    const made = kindOf(frame, role, seen);
    const { rows, columns, ports } = made;
    const numbers = [rows.old, rows.new, columns.old, columns.new, ports.old, ports.new];
    const key = `${isPod} ${numbers.join(" ")}`;
    const known = found[role].get(key) ?? made;
    found[role].set(key, known);
    return known;
  };
  for (const pod of podsInBoth(frame)) {
    const seen = seenOf(frame, pod);
    for (const role of ["from", "to"] as const) kindFor(role, seen, true).pods.push(pod);
  }
  for (const one of workloadsInBoth(frame))
    for (const role of ["from", "to"] as const) {
      const made = kindOfWorkload(frame, role, one);
      const key = JSON.stringify([made.places, made.ports, made.differs]);
      const known = found[role].get(key) ?? made;
      found[role].set(key, known);
      known.workloads.push(one);
    }
  for (let piece = 0; piece < frame.space.size; piece++) {
    if (frame.space.freeIn(piece) === null) continue;
    const place = { pod: null, piece };
    const seen = { place: { old: place, new: place }, ports: noPorts };
    for (const role of ["from", "to"] as const) kindFor(role, seen, false).pieces.push(piece);
  }
  return { from: [...found.from.values()], to: [...found.to.values()] };
}

function kindOf({ sides, worlds }: Frame, role: Role, { place, ports: { [role]: ports } }: Seen): Growing {
  const [own, other] = [sides[subjectSide[role]], sides[peerSide[role]]];
  const rows = ofEach(worlds, (age) => own[age].rows.of(place[age]));
  const columns = ofEach(worlds, (age) => other[age].columns.of(place[age]));
  const differs =
    worlds.old !== worlds.new &&
    (ports.old !== ports.new ||
      own.old.rows.at(rows.old).kept !== own.new.rows.at(rows.new).kept ||
      other.old.columns.kept(columns.old) !== other.new.columns.kept(columns.new));
  const places = ofEach(worlds, (age) => [{ rows: [rows[age]], columns: [columns[age]] }]);
  return { pods: [], workloads: [], pieces: [], places, rows, columns, ports, differs };
}

function kindOfWorkload(frame: Frame, role: Role, one: WorkloadEnd): Growing {
  const sides = { own: subjectSide[role], other: peerSide[role] };
  const { groups, differs } = placesOfTemplate(frame, sides, one);
  const { worlds } = frame;
  const ports = ofEach(worlds, (age) => portsOf(frame, worlds[age], role, one.workload[age].template));
  return {
    ...{ pods: [], workloads: [], pieces: [], places: groups, ports },
    rows: ofEach(worlds, (age) => groups[age][0]?.rows[0] ?? 0),
    columns: ofEach(worlds, (age) => groups[age][0]?.columns[0] ?? 0),
    differs: differs || ports.old !== ports.new,
  };
}

/** The same ends while the pods of its workloads run on the node. */
export function onNode(kind: Kind, node: string): Kind {
  const placed = (age: Age): readonly PlaceGroup[] =>
    kind.places[age].map((one) => {
      const row = one.rowsByNode?.[node] ?? one.rowsByNode?.[anyNode];
      return row === undefined ? one : { ...one, rows: [row] };
    });
  return { ...kind, places: both(placed) };
}

function podsInBoth({ worlds, family, open }: Frame): readonly PodEnd[] {
  const keys = [...worlds.old.facts.pods.keys()].sort();
  return keys.flatMap((key, rank) => {
    const ends = ofEach(worlds, (age) => endsOf(worlds[age].facts.pods.get(key), family));
    const [old, next] = [ends.old[0], ends.new[0]];
    if (old === undefined || next === undefined || open.has(old.pod?.namespace ?? "")) return [];
    if (worlds.old === worlds.new) return ends.new.map((end) => ({ key, rank, end: { old: end, new: end } }));
    return [{ key, rank, end: { old, new: next } }];
  });
}

function endsOf(pod: PodFact | undefined, family: IpFamily): readonly End[] {
  if (pod === undefined || !isOnPodNetwork(pod)) return [];
  return pod.ips.filter((ip) => familyOf(ip) === family).map((ip) => ({ ip, pod }));
}

function seenOf(frame: Frame, { end }: PodEnd): Seen {
  const declaredBy = (role: Role): Both<PortsId> =>
    ofEach(frame.worlds, (age) => portsOf(frame, frame.worlds[age], role, end[age].pod));
  return {
    place: ofEach(frame.worlds, (age) => placeOf(frame, frame.worlds[age], end[age])),
    ports: { from: declaredBy("from"), to: declaredBy("to") },
  };
}

export function placeOf(
  { space, namespaces, pods }: Frame,
  { facts }: PolicyWorld,
  { ip, pod }: End,
): EndPlace {
  const piece = space.pieceOf(ip);
  if (pod === null) return { pod, piece };
  const namespace = facts.namespaces.get(pod.namespace) ?? null;
  const namespaceSign = namespace === null ? -1 : namespaces.of(namespaceLabels(namespace));
  return { pod: { namespace, namespaceSign, sign: pods.of(podLabels(pod)), node: pod.node }, piece };
}

/** Names lead to pods of known namespaces only. */
export function portsOf(
  { declared }: Frame,
  { facts }: PolicyWorld,
  role: Role,
  pod: PodFact | null,
): PortsId {
  return pod === null || !facts.namespaces.has(pod.namespace) ? 0 : declared.of(role, pod.ports);
}
