// The page's world at rest, of these objects and no others. For tests of what the page answers.

import { everyDialect } from "../../src/dialects.ts";
import type { AskedOptions } from "../../src/explain/asked.ts";
import { AskedWorld } from "../../src/explain/asked.ts";
import type { Hits } from "../../src/hits/hits.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import type { ShownWorld, ThreadAnswers } from "../../src/ui/world.ts";

export interface WorldOptions extends Partial<AskedOptions> {
  /** Observed after the others. */
  readonly later?: readonly WorldObject[];
  readonly hits?: Hits;
}

/** What threads would answer is always being computed. */
export const noThreads: ThreadAnswers = {
  matrix: () => null,
  reach: () => null,
  compare: () => new Promise(() => undefined),
};

export function shownWorld(objects: readonly WorldObject[], options: WorldOptions = {}): ShownWorld {
  const { dialects = everyDialect.dialects, later = [] } = options;
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects, dialects, families: null, mode });
  model.observe(later);
  return {
    ...{ revision: "1", isReady: true, from: "here", cni: "ovn", problems: [], live: null },
    ...{ facts: model.facts, workloads: options.workloads ?? [], policyCount: [...model.records()].length },
    asked: new AskedWorld(model, { dialects, placeOf: () => null, objects, ...options }),
    ...{ membership: model.membership, findings: null, plan: null, lastChange: null, ...noThreads },
    hits: options.hits ?? null,
    record: (key) => model.record(key),
  };
}
