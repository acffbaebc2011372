// Namespaces against namespaces as things are now: what of the traffic between them all, some or none of the connections may have.
// The matrix is made in a thread; here it is cut: a window of it, one cell in words with a question for the tester, and all that
// has to do with one namespace.

import type { Cell, MatrixReport } from "../../matrix/report.ts";
import { outsidePlace } from "../../matrix/matrix.ts";
import { cellText } from "../../matrix/words.ts";
import { textOfWorkload } from "../../analysis/end-query.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import { excerpt } from "../excerpt.ts";
import type { Query } from "../query.ts";
import { limitOf, NotThere, offsetOf, searchOf, textOf } from "../query.ts";
import type { Making } from "../shown.ts";
import type {
  CellShown,
  MatrixShown,
  NeighbourShown,
  NeighboursShown,
  Question,
  Reach,
} from "../shown/reach.ts";
import type { ShownWorld } from "../world.ts";

const mostPlaces = 60;
const mostNeighbours = 200;
const mostCaveats = 20;
/** Where the traffic is of every port. */
const anyPort = 80;

/** From `from` and `to` on, of places whose names have `q`; none of what is made later. */
export function matrixOf(world: ShownWorld, query: Query): MatrixShown | Making {
  const made = world.matrix(null);
  if (made === null) return { isMaking: true };
  const { value: report, revision } = made;
  const text = searchOf(query, "q").toLowerCase();
  const limit = limitOf(query, 40, mostPlaces);
  const places = report.places.filter(({ name }) => name.toLowerCase().includes(text));
  const [from, to] = [offsetOf(query, "from"), offsetOf(query, "to")];
  const columns = places.slice(to, to + limit);
  const cells = cellsOf(report);
  const counts: Record<Reach, number> = { all: 0, some: 0, none: 0, unknown: 0 };
  for (const { reach } of report.cells) counts[reach]++;
  return {
    ...{ isMaking: false, revision, total: places.length, from, to, columns, counts },
    rows: places.slice(from, from + limit).map((place) => ({
      place,
      cells: columns.map(({ name }) => cells.get(place.name)?.get(name)?.reach ?? null),
    })),
    caveats: excerpt(report.caveats, mostCaveats),
  };
}

/** The traffic between two namespaces, and a connection between two of their pods to ask the tester about. */
export function cellOf(world: ShownWorld, query: Query): CellShown | Making {
  const made = world.matrix(null);
  if (made === null) return { isMaking: true };
  const [from, to] = [textOf(query, "from"), textOf(query, "to")];
  const cell = cellsOf(made.value).get(from)?.get(to);
  if (cell === undefined) throw new NotThere("there is no connection between the two");
  const { reach, traffic } = cell;
  return {
    ...{ isMaking: false, revision: made.revision, from, to, reach },
    text: cellText(traffic),
    question: questionOf(world, cell),
  };
}

/** What a namespace may reach, and what may reach it. */
export function neighboursOf(world: ShownWorld, query: Query): NeighboursShown | Making {
  const made = world.matrix(null);
  if (made === null) return { isMaking: true };
  const name = textOf(query, "namespace");
  const { places } = made.value;
  if (!places.some((place) => place.name === name))
    return { isMaking: false, revision: made.revision, total: 0, shown: [] };
  const cells = cellsOf(made.value);
  const side = (cell: Cell | undefined): NeighbourShown["out"] =>
    cell === undefined ? null : { reach: cell.reach, text: cellText(cell.traffic) };
  const all = places.map((place): NeighbourShown => ({
    place,
    out: side(cells.get(name)?.get(place.name)),
    in: side(cells.get(place.name)?.get(name)),
  }));
  return {
    ...{ isMaking: false, revision: made.revision },
    ...excerpt(
      all.filter((one) => one.out !== null || one.in !== null),
      mostNeighbours,
    ),
  };
}

type CellsByPlaces = ReadonlyMap<string, ReadonlyMap<string, Cell>>;

const indexes = new WeakMap<MatrixReport, CellsByPlaces>();

function cellsOf(report: MatrixReport): CellsByPlaces {
  const known = indexes.get(report) ?? indexed(report);
  indexes.set(report, known);
  return known;
}

function indexed({ cells }: MatrixReport): CellsByPlaces {
  const rows = Map.groupBy(cells, ({ from }) => from);
  return new Map(Array.from(rows, ([from, row]) => [from, new Map(row.map((cell) => [cell.to, cell]))]));
}

/** null: an end is no pod, or nothing with a port is among the traffic. */
function questionOf(world: ShownWorld, { from, to, traffic }: Cell): Question | null {
  const [one] = endsIn(world, from, 1);
  const other = endsIn(world, to, 2).find((end) => end !== one);
  const all = [traffic.some, traffic.unknown, traffic.all, traffic.none].flatMap((part) => part ?? []);
  const ported = all.find(({ protocol, ports }) => protocol === "tcp" && ports !== undefined) ?? all[0];
  if (one === undefined || other === undefined || ported === undefined) return null;
  const { protocol, ports } = ported;
  if (protocol === "icmp") return { from: one, to: other, protocol, port: null };
  if (!["tcp", "udp", "sctp"].includes(protocol)) return null;
  return { from: one, to: other, protocol, port: Math.max(ports?.[0]?.[0] ?? anyPort, 1) };
}

/** At most so many ends of the namespace, as they are asked for. */
function endsIn({ facts, workloads }: ShownWorld, place: string, most: number): readonly string[] {
  if (place === outsidePlace) return [];
  const pods = Iterator.from(facts.pods)
    .filter(([, pod]) => pod.namespace === place && isOnPodNetwork(pod) && pod.ips.length > 0)
    .map(([key]) => key as string);
  const made = workloads.filter((one) => one.namespace === place).map(textOfWorkload);
  return [...pods.take(most), ...made].slice(0, most);
}
