// What a line that is newly denied means for its pods: of what pods lose, the part that goes through the connections of this line.

import { contains } from "../../model/cidr.ts";
import { podKey } from "../../model/facts.ts";
import type { PodKey } from "../../model/facts.ts";
import type { End } from "../../policy/evaluate.ts";
import { numberText } from "../ends-shown.ts";
import type { Effect } from "../report.ts";
import type { Traffic } from "../../verdicts/traffic-words.ts";
import type { Drawn, DrawnEnds } from "./drawn.ts";
import type { Loss } from "./lost.ts";

export function effectsOf(drawn: readonly Drawn[], losses: readonly Loss[]): readonly Effect[] {
  const found = losses.flatMap((loss) => {
    const met = drawn.filter((one) => carries(one, loss));
    const pods = new Set(met.flatMap((one) => one[loss.role].pods.filter((key) => loss.pods.has(key))));
    const all = new Set(met.flatMap((one) => one[loss.role].pods));
    return pods.size === 0 ? [] : [{ loss, pods, all }];
  });
  return [...Map.groupBy(found, ({ loss }) => loss.code)].map(([code, list]) => {
    const pods = new Set<PodKey>(list.flatMap((one) => [...one.pods]));
    const all = new Set<PodKey>(list.flatMap((one) => [...one.all]));
    const ports = list.flatMap(({ loss }) => (loss.ports ?? []).map((port) => `${loss.protocol} ${port}`));
    return { code, text: effectText(code, pods.size, all.size, ports.join(" or ")) };
  });
}

function effectText(code: Effect["code"], lost: number, all: number, ports: string): string {
  const isAll = lost === all;
  const some = `${numberText(lost)} of these ${numberText(all)} pods`;
  switch (code) {
    case "DNS":
      return `DNS lost: ${isAll ? "none of these pods reaches a" : `${some} reach no`} DNS server over ${ports}`;
    case "APIServer":
      return `API server lost: ${isAll ? "none of these pods reaches it" : `${some} do not reach it`} over ${ports}`;
    case "Probes":
      return `probes lost: the nodes do not reach ports of ${isAll ? "these pods" : some}`;
  }
}

/** Whether one of the connections that the loss is about is in the class. */
function carries(one: Drawn, { role, far, protocol, ports }: Loss): boolean {
  const ends = role === "from" ? one.to : one.from;
  const isOn = (traffic: Traffic) =>
    traffic.protocol === protocol &&
    (ports === null ||
      ports.some((port) => traffic.ports?.some(([first, last]) => first <= port && port <= last) ?? true));
  return one.class.traffic.some(isOn) && far.some((end) => isIn(ends, end));
}

function isIn({ pods, addresses }: DrawnEnds, { ip, pod }: End): boolean {
  if (pod !== null) return pods.includes(podKey(pod.namespace, pod.name));
  return addresses.some((network) => contains(network, ip));
}
