// Every planted mistake, by area. Behaviour that no user could see the absence of is not here: the order of operations
// inside one transaction, for one, means nothing to a database that does all of them or none.

import { calico } from "./calico.ts";
import { canAndMatrix } from "./can-and-matrix.ts";
import { compiler } from "./compiler.ts";
import { explain } from "./explain.ts";
import { lint } from "./lint.ts";
import { matchText } from "./match-text.ts";
import { membership } from "./membership.ts";
import type { Area, Mutant } from "./mutant.ts";
import { areas } from "./mutant.ts";
import { names } from "./names.ts";
import { netfilter } from "./netfilter.ts";
import { netfilterLive } from "./netfilter-live.ts";
import { plan } from "./plan.ts";
import { planner } from "./planner.ts";
import { priorities } from "./priorities.ts";
import { existingRows } from "./existing-rows.ts";
import { stack } from "./stack.ts";
import { ui } from "./ui.ts";
import { writers } from "./writers.ts";

export type Listed = Omit<Mutant, "area">;

const listed: Readonly<Record<Area, readonly Listed[]>> = {
  compiler: [...compiler, ...calico],
  "match text": matchText,
  priorities: [...priorities, ...stack],
  membership: [...membership, ...names],
  planner,
  explain,
  "existing rows": existingRows,
  plan,
  "can and matrix": canAndMatrix,
  lint,
  ui,
  writers,
  "packet filter": netfilter,
  "packet filter of a node": netfilterLive,
};

export const mutants: readonly Mutant[] = areas.flatMap((area) =>
  listed[area].map((mutant) => ({ ...mutant, area })),
);
