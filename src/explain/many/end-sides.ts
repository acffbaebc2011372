// The sides of a connection between ends as they were named: templates of workloads, pods on the pod network and on that of their node,
// addresses. What of an end makes several connections possible is asked here, each in its place.

import type { PodFact } from "../../model/facts.ts";
import type { Connection } from "../../policy/evaluate.ts";
import type { AskedWorld } from "../asked.ts";
import type { Workloads } from "./placed.ts";
import { placedSides } from "./placed.ts";
import { withHostPods } from "../plugin.ts";
import type { Sides } from "../side.ts";
import type { ExplainOptions } from "../sides.ts";
import { knownSides, sidesOf } from "../sides.ts";

export interface NamedEnds {
  readonly workloads: Workloads;
  /** Those of the host network too. */
  readonly pods: Readonly<Record<"from" | "to", PodFact | null>>;
}

export function endSides(
  asked: AskedWorld,
  connection: Connection,
  { workloads, pods }: NamedEnds,
  options: ExplainOptions,
): Sides {
  const sides = placedSides(asked, connection, workloads, (one) => knownSides(asked, one, options));
  return withHostPods(asked, connection, pods, sides, (one) =>
    sidesOf(asked, one, { ...options, isDetailed: false }),
  );
}
