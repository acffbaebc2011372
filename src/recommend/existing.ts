// The NetworkPolicies that are there: their names, and which pods they isolate.

import type { AskedWorld } from "../explain/asked.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { WorldObject } from "../model/object.ts";
import { groupOf, isApiObject } from "../model/object.ts";
import { isolation } from "../policy/evaluate.ts";
import type { Direction, Policy } from "../policy/ir.ts";
import type { PodClass } from "./pod-classes.ts";

const kind = { group: "networking.k8s.io", kind: "NetworkPolicy" } as const;

export class ExistingPolicies {
  readonly #names: ReadonlyMap<string, readonly string[]>;

  constructor(objects: readonly WorldObject[]) {
    const own = objects.filter(isApiObject).filter((one) => isOwn(one.apiVersion, one.kind));
    const named = own.map(({ namespace, name }) => ({ namespace: namespace ?? "", name }));
    const byNamespace = Map.groupBy(named, ({ namespace }) => namespace);
    this.#names = new Map(
      Array.from(byNamespace, ([namespace, some]) => [namespace, some.map(({ name }) => name).sort()]),
    );
  }

  /** Sorted. */
  namesIn(namespace: string): readonly string[] {
    return this.#names.get(namespace) ?? [];
  }
}

function isOwn(apiVersion: string, name: string): boolean {
  return name === kind.kind && groupOf(apiVersion) === kind.group;
}

/** How many pods of the classes none of them isolates in a direction. */
export function newlyIsolated(
  classes: readonly PodClass[],
  { facts, policies }: AskedWorld,
): Readonly<Record<Direction, number>> {
  const own = policies.filter(({ ref }) => ref.group === kind.group && ref.kind === kind.kind);
  const count = (direction: Direction): number =>
    classes
      .flatMap(({ pods }) => pods)
      .filter((pod) => isOnPodNetwork(pod) && !isIsolated(pod, direction, facts, own)).length;
  return { ingress: count("ingress"), egress: count("egress") };
}

function isIsolated(
  pod: PodClass["pods"][number],
  direction: Direction,
  facts: AskedWorld["facts"],
  policies: readonly Policy[],
): boolean {
  const [ip] = pod.ips;
  if (ip === undefined) return false;
  const end = { ip, pod };
  return isolation(direction, { from: end, to: end, protocol: "tcp", port: 0 }, facts, policies) !== null;
}
