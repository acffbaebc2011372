// Mistakes in objects that policies may refer to, tiers and groups, whether a policy names them or not: `render` and `lint` refuse
// what the API would refuse. Findings of a policy that names such an object are with the policy's own findings.

import type { SourceProblem } from "../model/object.ts";
import { mistakesIn } from "../policy/contracts/dialect.ts";
import { placedFinding } from "../status/findings.ts";
import type { LoadedWorld } from "./world.ts";

export function referenceFindings({
  model,
  placeOf,
}: Pick<LoadedWorld, "model" | "placeOf">): readonly SourceProblem[] {
  return [...model.judged()].flatMap(([key, { object, verdict }]) =>
    mistakesIn(verdict).map((problem) => ({ ...placedFinding({ key, object }, problem, placeOf), key })),
  );
}
