// What a reader of a plan must know beside it, in sentences: of rules and of pods that are not judged as they would be met.

import { excerptOf } from "../lib/text/few.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import { directions } from "../policy/ir.ts";
import type { Caveat } from "./report.ts";
import type { Both } from "../verdicts/worlds.ts";
import type { PlanWorld } from "./world.ts";
import { ages } from "../verdicts/worlds.ts";

const shownNames = 3;

/** `leftOut`: pods that are no ends, because of their namespaces. */
export function caveatsOf(worlds: Both<PlanWorld>, leftOut: readonly PodFact[]): readonly Caveat[] {
  const rules = ages
    .flatMap((age) => worlds[age].policies)
    .flatMap((policy) => directions.flatMap((direction) => policy.rules[direction]));
  const isThrough = rules.some(({ translated }) => translated === true);
  return [...(isThrough ? [service] : []), ...shared(worlds), ...ofNamespaces(leftOut)];
}

const service: Caveat = {
  code: "Service",
  text: "rules concern connections through Services; the evaluated connection goes directly to its destination",
};

/** Rules know the other end by its address alone. */
function shared(worlds: Both<PlanWorld>): readonly Caveat[] {
  const texts = ages.flatMap((age) => {
    const pods = [...worlds[age].facts.pods.values()].filter(isOnPodNetwork);
    const held = Map.groupBy(
      pods.flatMap((pod) => pod.ips.map((ip) => ({ ip, pod }))),
      ({ ip }) => ip,
    );
    return [...held]
      .filter(([, holders]) => holders.length > 1)
      .map(([ip, holders]) => `${ip} of ${namesOf(holders.map(({ pod }) => pod))}`);
  });
  const distinct = [...new Set(texts)];
  if (distinct.length === 0) return [];
  const text = `addresses of several running pods, each evaluated by its own labels: ${few(distinct)}`;
  return [{ code: "SharedAddress", text }];
}

function ofNamespaces(pods: readonly PodFact[]): readonly Caveat[] {
  const names = [...new Set(pods.map(({ namespace }) => namespace))].sort();
  if (names.length === 0) return [];
  const text = `Namespace ${few(names)} was not read, and policies use its labels: the ${pods.length} pods there are not judged`;
  return [{ code: "NamespaceNotRead", text }];
}

function namesOf(pods: readonly PodFact[]): string {
  return few(pods.map(({ namespace, name }) => podKey(namespace, name)).sort());
}

function few(names: readonly string[]): string {
  return excerptOf(names.length, names.slice(0, shownNames));
}
