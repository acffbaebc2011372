// Policies of kinds that are not read, in a plan. Nobody here judges them: one that was edited is a changed policy that was not
// judged, and those that both worlds have are a caveat. Of a connection that the policies that are read decide alike in both
// worlds they say the same in both, so that they make no difference where there is none.

import { refText } from "../analysis/ref.ts";
import type { ForeignPolicy, NotRead } from "../unknowns/foreign.ts";
import { byForeignKind, couldConcern } from "../unknowns/foreign.ts";
import { excerptOf } from "../lib/text/few.ts";
import type { PolicyObject } from "../model/object.ts";
import { kindText } from "../model/object.ts";
import { directions } from "../policy/ir.ts";
import { objectChanges } from "./object-changes.ts";
import type { Caveat, Unjudged } from "./report.ts";
import type { Both } from "../verdicts/worlds.ts";
import type { PlanWorld } from "./world.ts";
import { ages, both } from "../verdicts/worlds.ts";

const shownNames = 3;

/** As objects, to be compared with others. */
export function foreignObjects({ policies }: NotRead): readonly PolicyObject[] {
  return policies.map(({ group, kind, namespace, name, spec }) => ({
    ...{ kind, apiVersion: `${group}/`, namespace, name, spec },
    ...{ uid: null, generation: null, annotations: new Map() },
  }));
}

/** Those that were edited. */
export function unjudgedForeign(worlds: Both<NotRead>): readonly Unjudged[] {
  const { added, changed, removed } = objectChanges(both((age) => foreignObjects(worlds[age])));
  return [...added, ...changed, ...removed].map(({ group, kind, namespace, name }) => ({
    policy: { group, kind, namespace, name },
    why: `${kindText({ group, kind })} is a kind of policy that is not read`,
  }));
}

export function foreignCaveats(worlds: Both<NotRead>, known: Both<PlanWorld>): readonly Caveat[] {
  const concerning = ages.flatMap((age) =>
    worlds[age].policies.filter((policy) => concernsSomebody(policy, known[age])),
  );
  const kinds = [...byForeignKind(concerning)].map(([kind, policies]): Caveat => {
    const names = [...new Set(policies.map(refText))].sort();
    const text = `policies of ${kind} are not read, and may decide connections otherwise: ${excerptOf(names.length, names.slice(0, shownNames))}`;
    return { code: "KindNotRead", text };
  });
  const sentences = new Set(ages.flatMap((age) => worlds[age].sentences));
  const unlisted = [...sentences].map((sentence): Caveat => {
    return { code: "KindNotListed", text: `${sentence}: the answer is as if there were none` };
  });
  return [...kinds, ...unlisted];
}

function concernsSomebody(policy: ForeignPolicy, { facts }: PlanWorld): boolean {
  if (policy.isAboutNodes) return true;
  return directions.some((direction) =>
    [...facts.pods.values()].some((pod) => couldConcern(policy, direction, { pod, isNode: false })),
  );
}
