// The removal of conditions of zones without a Node, with what it needs of the program's parts.

import type { Engine } from "../controller/engine.ts";
import type { DepartedZonesOptions } from "../kube/index.ts";
import { DepartedZones, zonedPolicy } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { Cluster } from "../status/cluster-status.ts";

interface Parts extends Pick<DepartedZonesOptions, "zone" | "leads" | "logger" | "fatal"> {
  /** null: there is no cluster that has conditions. */
  readonly cluster: Cluster | null;
  readonly engine: Pick<Engine, "records">;
  readonly facts: Pick<FactStore, "hasNode">;
}

export function openDepartedZones({ cluster, engine, facts, ...more }: Parts): DepartedZones | null {
  if (cluster === null) return null;
  return new DepartedZones({
    ...{ ...more, api: cluster.api, clock: systemClock, random: Math.random },
    statusOf: (key) => cluster.statusOf(key),
    hasNode: (name) => facts.hasNode(name),
    policies: () =>
      Iterator.from(engine.records()).map(({ object, kind }) =>
        zonedPolicy(object, kind, kind.conditions?.type ?? null),
      ),
  });
}
