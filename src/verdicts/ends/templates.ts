// Workloads as ends: pods that are not there yet may have any address that nothing has, and run on any node. The rows and columns
// of all of them, as far as rules tell them apart.

import type { ObjectKey } from "../../model/object.ts";
import { namespaceLabels, podLabels } from "../../model/selectable.ts";
import type { Workload } from "../../model/workload.ts";
import { anyNode, workloadKey } from "../../model/workload.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import type { Direction } from "../../policy/ir.ts";
import type { Frame } from "../frame.ts";
import type { Age, Both, PolicyWorld } from "../worlds.ts";
import { ofEach } from "../worlds.ts";
import type { EndPlace, PodPlace } from "./place.ts";

export interface WorkloadEnd {
  readonly key: ObjectKey;
  readonly workload: Both<Workload>;
}

/** An end may have any of the rows with any of the columns. */
export interface PlaceGroup {
  readonly rows: readonly number[];
  /** Of a workload, by the node of its pods; of the nodes that no rule is about, under `anyNode`. */
  readonly rowsByNode?: Readonly<Record<string, number>>;
  readonly columns: readonly number[];
}

export interface TemplatePlaces {
  readonly groups: Both<readonly PlaceGroup[]>;
  /** A rule that both worlds have sees it otherwise in one of them, somewhere. */
  readonly differs: boolean;
}

/** Those that stand for pods in both worlds, on the pod network, of namespaces that are judged. */
export function workloadsInBoth({ worlds, open }: Frame): readonly WorkloadEnd[] {
  const byKey = ofEach(worlds, (age) => new Map(endsIn(worlds[age]).map((one) => [workloadKey(one), one])));
  return [...byKey.old].flatMap(([key, old]) => {
    const next = byKey.new.get(key);
    return next === undefined || open.has(old.namespace) ? [] : [{ key, workload: { old, new: next } }];
  });
}

function endsIn({ workloads = [] }: PolicyWorld): readonly Workload[] {
  return workloads.filter(({ template }) => isOnPodNetwork(template));
}

/** `own`: the direction whose subject it is; `other`: the one whose peer it is. */
export function placesOfTemplate(
  frame: Frame,
  { own, other }: Readonly<Record<"own" | "other", Direction>>,
  { workload }: WorkloadEnd,
): TemplatePlaces {
  const { worlds, sides, placesOfPods } = frame;
  let differs = false;
  const nodes = [...new Set([anyNode, ...sides[own].old.rows.nodes, ...sides[own].new.rows.nodes])];
  const seen = ofEach(worlds, (age) => templateIn(frame, age, workload[age]));
  const keptAt = (age: Age, place: EndPlace): string =>
    sides[own][age].rows.at(sides[own][age].rows.of(place)).kept +
    sides[other][age].columns.kept(sides[other][age].columns.of(place));
  const groups = ofEach(worlds, (age) => {
    const { rows } = sides[own][age];
    const { columns } = sides[other][age];
    const byOwn = Map.groupBy(placesOfPods, ({ piece }) => rows.ownAt(piece));
    return Array.from(byOwn.values(), (alike): PlaceGroup => {
      const piece = alike[0]?.piece ?? 0;
      const byNode = nodes.map((node) => [node, rows.of({ pod: { ...seen[age], node }, piece })] as const);
      return {
        rows: [...new Set(byNode.map(([, row]) => row))],
        rowsByNode: Object.fromEntries(byNode),
        columns: [...new Set(alike.map((one) => columns.of({ pod: seen[age], piece: one.piece })))],
      };
    });
  });
  if (worlds.old !== worlds.new)
    differs = placesOfPods.some(({ piece }) =>
      nodes.some((node) => {
        const [old, next] = [seen.old, seen.new].map((pod) => ({ pod: { ...pod, node }, piece }));
        return old !== undefined && next !== undefined && keptAt("old", old) !== keptAt("new", next);
      }),
    );
  return { groups, differs };
}

function templateIn({ worlds, namespaces, pods }: Frame, age: Age, { template }: Workload): PodPlace {
  const namespace = worlds[age].facts.namespaces.get(template.namespace) ?? null;
  const namespaceSign = namespace === null ? -1 : namespaces.of(namespaceLabels(namespace));
  return { namespace, namespaceSign, sign: pods.of(podLabels(template)), node: anyNode };
}
