// What a line that is newly denied means for its pods and workloads: of what these lose, the part that goes through the connections
// of this line.

import { numberText } from "../../lib/counted.ts";
import { refOfWorkload, refText } from "../../analysis/ref.ts";
import { contains } from "../../model/cidr.ts";
import type { PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import { workloadText } from "../../model/workload.ts";
import type { Effect } from "../report.ts";
import type { Traffic } from "../../verdicts/traffic-words.ts";
import type { Place } from "./asking.ts";
import { isWorkload } from "./asking.ts";
import type { Drawn, DrawnEnds } from "./drawn.ts";
import type { Loss } from "./lost.ts";

interface Lost {
  readonly pods: ReadonlySet<PodKey>;
  /** As people call them, by the texts of their references. */
  readonly workloads: ReadonlyMap<string, string>;
}

export function effectsOf(drawn: readonly Drawn[], losses: readonly Loss[]): readonly Effect[] {
  const found = losses.flatMap((loss) => {
    const all = endsOf(drawn.filter((one) => carries(one, loss)).map((one) => one[loss.role]));
    const lost = {
      pods: all.pods.intersection(loss.pods),
      workloads: new Map([...all.workloads].filter(([name]) => loss.workloads.has(name))),
    };
    return sizeOf(lost) === 0 ? [] : [{ loss, lost, all }];
  });
  return [...Map.groupBy(found, ({ loss }) => loss.code)].map(([code, list]) => {
    const ports = list.flatMap(({ loss }) => (loss.ports ?? []).map((port) => `${loss.protocol} ${port}`));
    const [lost, all] = [joined(list.map((one) => one.lost)), joined(list.map((one) => one.all))];
    return { code, text: effectText(code, lost, all, ports.join(" or ")) };
  });
}

function endsOf(ends: readonly DrawnEnds[]): Lost {
  const names = ends
    .flatMap(({ workloads }) => workloads)
    .map((one) => [refText(one), workloadText({ ...one, namespace: one.namespace ?? "" })] as const);
  return { pods: new Set(ends.flatMap(({ pods }) => pods)), workloads: new Map(names) };
}

function joined(all: readonly Lost[]): Lost {
  return {
    pods: new Set(all.flatMap(({ pods }) => [...pods])),
    workloads: new Map(all.flatMap(({ workloads }) => [...workloads])),
  };
}

function sizeOf({ pods, workloads }: Lost): number {
  return pods.size + workloads.size;
}

function effectText(code: Effect["code"], lost: Lost, all: Lost, ports: string): string {
  const [only = null] = lost.workloads.values();
  const one = sizeOf(lost) === 1 ? only : null;
  const isAll = sizeOf(lost) === sizeOf(all);
  const these = nounOf(all);
  const some = `${numberText(sizeOf(lost))} of these ${numberText(sizeOf(all))} ${these}`;
  switch (code) {
    case "DNS": {
      const which = isAll ? `none of these ${these} reaches a` : `${some} reach no`;
      return `DNS lost: ${one === null ? which : `${one} reaches no`} DNS server over ${ports}`;
    }
    case "APIServer": {
      const which = isAll ? `none of these ${these} reaches it` : `${some} do not reach it`;
      return `API server lost: ${one === null ? which : `${one} does not reach it`} over ${ports}`;
    }
    case "Probes":
      return `probes lost: the nodes do not reach ports of ${one ?? (isAll ? `these ${these}` : some)}`;
  }
}

function nounOf({ pods, workloads }: Lost): string {
  if (workloads.size === 0) return "pods";
  return pods.size === 0 ? "workloads" : "pods and workloads";
}

/** Whether one of the connections that the loss is about is in the class. */
function carries(one: Drawn, { role, far, protocol, ports }: Loss): boolean {
  const ends = role === "from" ? one.to : one.from;
  const isOn = (traffic: Traffic) =>
    traffic.protocol === protocol &&
    (ports === null ||
      ports.some((port) => traffic.ports?.some(([first, last]) => first <= port && port <= last) ?? true));
  return one.class.traffic.some(isOn) && far.some((place) => isIn(ends, place));
}

function isIn({ pods, workloads, addresses }: DrawnEnds, place: Place): boolean {
  if (isWorkload(place)) {
    const name = refText(refOfWorkload(place.workload.new));
    return workloads.some((one) => refText(one) === name);
  }
  const { ip, pod } = place;
  if (pod !== null) return pods.includes(podKey(pod.namespace, pod.name));
  return addresses.some((network) => contains(network, ip));
}
