// The answer of `northgate matrix`: namespaces against namespaces, or the workloads of one namespace against each other and all
// others; and the cells that differ from another matrix. Throws NoSuchEnd where there is no such namespace.

import { NoSuchEnd } from "../analysis/end-query.ts";
import { PodGroups } from "../analysis/pod-groups.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { hostWorkloadsCaveat, pluginCaveat, servicesCaveat, worldCaveats } from "../explain/caveats.ts";
import { Crossings } from "../crossings/crossings.ts";
import { everywhere, portsAsked } from "../crossings/ports-asked.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { PodKey } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf, ipFamilies } from "../model/ip.ts";
import { quote } from "../model/quote.ts";
import { workloadText } from "../model/workload.ts";
import { trafficsOf } from "../verdicts/traffic-words.ts";
import type { Traffic } from "../verdicts/traffic.ts";
import { noTraffic } from "../verdicts/traffic.ts";
import type { PlaceOf, RawCell } from "./cells.ts";
import { cellsOf } from "./cells.ts";
import type { Cell, CellChange, MatrixQuestion, MatrixReport, Place, TrafficByReach } from "./report.ts";
import { reaches } from "../crossings/reach.ts";

/** Every address that no pod has. No namespace and no workload has such a name. */
export const outsidePlace = "(outside)";
export const otherNamespaces = "(other namespaces)";

export function matrix(asked: AskedWorld, question: MatrixQuestion): MatrixReport {
  const placeOf = placesIn(asked, question);
  const { families } = new Crossings(asked, { networks: [], ports: portsAsked(question, everywhere(asked)) });
  const raw = cellsOf(families, placeOf, outsidePlace);
  const [family] = families;
  const words = new Map<Traffic, ReturnType<typeof trafficsOf>>();
  const served = servedIn(asked);
  const inWords = (traffic: Traffic): ReturnType<typeof trafficsOf> => {
    const known = words.get(traffic) ?? trafficsOf(family?.intervalsOf(traffic) ?? [], served);
    words.set(traffic, known);
    return known;
  };
  const places = placesOf(asked, placeOf);
  const ranks = new Map(places.map(({ name }, at) => [name, at]));
  const rank = (name: string) => ranks.get(name) ?? -1;
  return {
    schema: "northgate.matrix/1",
    ...{ question, places },
    cells: raw
      .map((cell): Cell => ({
        from: cell.from,
        to: cell.to,
        reach: cell.reach,
        traffic: byReach(cell, inWords),
      }))
      .sort((a, b) => rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to)),
    caveats: [
      ...[worldCaveats, pluginCaveat, hostWorkloadsCaveat, servicesCaveat].flatMap((caveatsOf) =>
        caveatsOf(asked),
      ),
    ],
  };
}

/** The families of pods' addresses. */
function servedIn({ facts }: AskedWorld): readonly IpFamily[] {
  const found = new Set(Iterator.from(facts.pods.values()).flatMap(({ ips }) => ips.map(familyOf)));
  return ipFamilies.filter((family) => found.has(family));
}

function byReach(
  { traffic }: RawCell,
  inWords: (traffic: Traffic) => NonNullable<TrafficByReach["all"]>,
): TrafficByReach {
  return Object.fromEntries(
    reaches.flatMap((reach) => (traffic[reach] === noTraffic ? [] : [[reach, inWords(traffic[reach])]])),
  );
}

function placesIn({ facts, workloads }: AskedWorld, { namespace }: MatrixQuestion): PlaceOf {
  if (namespace === null) return { pod: namespaceOf, workload: (one) => one.namespace };
  const names = new Set([
    ...[...facts.pods.keys()].map(namespaceOf),
    ...workloads.map((one) => one.namespace),
  ]);
  if (!names.has(namespace)) {
    const meant = nearest(namespace, [...names], 2);
    throw new NoSuchEnd(
      `there is no pod in a namespace ${quote(namespace)}${meant === null ? "" : `; did you mean ${quote(meant)}?`}`,
    );
  }
  const groups = new PodGroups(facts.pods);
  return {
    pod: (key) => (namespaceOf(key) === namespace ? groups.of(key).title : otherNamespaces),
    workload: (one) => (one.namespace === namespace ? workloadText(one) : otherNamespaces),
  };
}

function namespaceOf(key: PodKey): string {
  return key.slice(0, key.indexOf("/"));
}

function placesOf({ facts, workloads }: AskedWorld, placeOf: PlaceOf): readonly Place[] {
  const pods = [...facts.pods].filter(([, pod]) => isOnPodNetwork(pod) && pod.ips.length > 0);
  const podsAt = Map.groupBy(pods, ([key]) => placeOf.pod(key));
  const ends = workloads.filter(({ template }) => isOnPodNetwork(template));
  const workloadsAt = Map.groupBy(ends, placeOf.workload);
  const rank = (name: string): number => (name === otherNamespaces ? 1 : 0);
  const places = Array.from(new Set([...podsAt.keys(), ...workloadsAt.keys()]), (name): Place => {
    const standing = workloadsAt.get(name)?.length ?? 0;
    return { name, pods: podsAt.get(name)?.length ?? 0, ...(standing === 0 ? {} : { workloads: standing }) };
  });
  places.sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
  return [...places, { name: outsidePlace, pods: 0 }];
}

/** With the cells that differ from an older matrix of the same question. */
export function matrixDiff(old: MatrixReport, next: MatrixReport, against: string): MatrixReport {
  const before = new Map(old.cells.map((cell) => [keyOf(cell), cell]));
  const after = new Map(next.cells.map((cell) => [keyOf(cell), cell]));
  const both = [...next.cells, ...old.cells.filter((cell) => !after.has(keyOf(cell)))];
  const changes = both.flatMap(({ from, to }): readonly CellChange[] => {
    const [one, other] = [before.get(keyOf({ from, to })), after.get(keyOf({ from, to }))].map(sideOf);
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    return [{ from, to, old: one ?? null, new: other ?? null }];
  });
  const places = new Map([...old.places, ...next.places].map((place) => [place.name, place]));
  const known = new Set(next.places.map(({ name }) => name));
  const gone = [...places.values()].filter(({ name }) => !known.has(name));
  return {
    ...next,
    places: [...gone.map(({ name }) => ({ name, pods: 0 })), ...next.places],
    against,
    changes,
  };
}

function keyOf({ from, to }: Pick<Cell, "from" | "to">): string {
  return JSON.stringify([from, to]);
}

function sideOf(cell: Cell | undefined): CellChange["old"] {
  return cell === undefined ? null : { reach: cell.reach, traffic: cell.traffic };
}
