// The states of a cluster, one after the other, from the reported changes: the pods, what an address is, and what the policies mean.

import type { PodFact } from "../../../src/model/facts.ts";
import type { FactStore } from "../../../src/model/fact-store.ts";
import type { IpAddress } from "../../../src/model/ip.ts";
import { noBackend, OfflineModel } from "../../../src/offline/model.ts";
import type { Policy } from "../../../src/policy/ir.ts";
import type { TimedChange } from "./history.ts";
import { followed } from "./history.ts";

/** The cluster at one time; the same object is the next state later. */
export interface State {
  readonly facts: FactStore;
  readonly policies: readonly Policy[];
  /** null: the address is none of a pod on the pod network. */
  podAt(ip: IpAddress): PodFact | null;
}

/** What is to be told of each state that there was between two times, in milliseconds since 1970. */
export interface Hearing {
  readonly fromMs: number;
  readonly untilMs: number;
  hear(state: State): void;
}

class Present implements State {
  readonly #model = new OfflineModel({
    ...{ dialects: followed.dialects, families: null },
    backend: () => noBackend,
  });
  #pods: ReadonlyMap<IpAddress, PodFact> = new Map();
  policies: readonly Policy[] = [];

  get facts(): FactStore {
    return this.#model.facts;
  }

  podAt(ip: IpAddress): PodFact | null {
    return this.#pods.get(ip) ?? null;
  }

  become(changes: readonly TimedChange[]): void {
    this.#model.change(changes);
    this.policies = this.#model.policies();
    const pods = [...this.facts.pods.values()].filter((pod) => !pod.hostNetwork && !pod.completed);
    this.#pods = new Map(pods.flatMap((pod) => pod.ips.map((ip) => [ip, pod] as const)));
  }
}

/** Changes of one millisecond are one. They are in the order of time. */
export function tellStates(changes: readonly TimedChange[], hearings: readonly Hearing[]): void {
  const states = [...Map.groupBy(changes, ({ atMs }) => atMs)];
  const waiting = hearings.toSorted((a, b) => b.fromMs - a.fromMs);
  const present = new Present();
  let open: Hearing[] = [];
  for (const [at, [beganMs, here]] of states.entries()) {
    present.become(here);
    const endedMs = states[at + 1]?.[0] ?? Infinity;
    while ((waiting.at(-1)?.fromMs ?? Infinity) < endedMs) open.push(...waiting.splice(-1));
    open = open.filter(({ untilMs }) => untilMs >= beganMs);
    for (const one of open) one.hear(present);
  }
}
