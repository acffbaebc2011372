// The two worlds of a plan: what there is, and what there would be with the manifests. Reads only. What is missing in the
// manifests and taken from the other world is reported.

import type { WorldSource } from "../config/config.ts";
import type { PlanConfig } from "../config/answers/plan.ts";
import { everyDialect, otherModelOf } from "../dialects.ts";
import type { NotRead } from "../unknowns/foreign.ts";
import type { ObjectKind, WorldObject } from "../model/object.ts";
import { isApiObject, keyOf, kindText, kindTextOf, objectKey } from "../model/object.ts";
import { BorrowedFacts } from "../plan/borrowed-facts.ts";
import type { Both } from "../verdicts/worlds.ts";
import { ages } from "../verdicts/worlds.ts";
import { isStagedIn, withAnnotated, withStaged } from "./staged.ts";
import type { ReadObjects } from "./read-objects.ts";
import type { LoadedWorld, WorldOptions } from "./world.ts";
import { ignoredLines, modelled, readWorld } from "./world.ts";

/** Of a plan, or of another comparison of manifests. */
export type PlannedConfig = Pick<PlanConfig, "given" | "prune" | "staged" | "kinds"> & WorldOptions;

export interface PlannedWorlds {
  readonly worlds: Both<LoadedWorld>;
  /** For standard error. */
  readonly lines: readonly string[];
  readonly refused: boolean;
}

/** Throws an Error of one sentence when a world cannot be read. */
export async function plannedWorlds(config: PlannedConfig, against: WorldSource): Promise<PlannedWorlds> {
  const { prune, staged, kinds } = config;
  const staging = staged ? (otherModelOf(kinds)?.staging(kinds) ?? null) : null;
  const options = staging === null ? config : { ...config, alsoRead: staging.kinds };
  const [given, there] = await Promise.all([readWorld(config.given, options), readWorld(against, options)]);
  const { read, said } =
    against.kind === "kube" ? laidOver(given, there, prune) : whole(given, there, staging?.kinds ?? []);
  const annotated = staged ? withAnnotated(read) : read;
  const next = staging === null ? annotated : withStaged(annotated, staging);
  const worlds = { old: modelled(there, options), new: modelled(next, options) };
  // A finding about an object that both have is one finding.
  const own = ages.flatMap((age) => worlds[age].lines);
  const lines = [...new Set([...ignoredLines(given, there), ...said, ...own])];
  return { worlds, lines, refused: ages.some((age) => worlds[age].refused) };
}

interface Made {
  readonly read: ReadObjects;
  readonly said: readonly string[];
}

/** Two whole worlds; what the manifests have none of is meant to be the other's, but for policies, staged ones too. */
function whole(given: ReadObjects, there: ReadObjects, staged: readonly ObjectKind[]): Made {
  const lending = new BorrowedFacts(given.objects, given.workloads);
  const lent = there.objects.filter((object) => lending.borrows(object) && !isStagedIn(staged, object));
  const workloads = there.workloads.filter((one) => lending.borrowsWorkload(one));
  if (lent.length + workloads.length === 0) return { read: given, said: [] };
  const read = joined(given, there, [...lent, ...given.objects]);
  return {
    read: { ...read, workloads: [...workloads, ...given.workloads], notRead: given.notRead },
    said: lending.notesOn(lent, workloads).map((note) => `northgate: ${note}`),
  };
}

/** As `kubectl apply` would: an object of the same name is replaced, the others stay. */
function laidOver(given: ReadObjects, there: ReadObjects, prune: boolean): Made {
  const kinds: ReadonlySet<string> = new Set(everyDialect.policies.map(kindText));
  const own = new Set(given.objects.map(keyOf));
  const stay = there.objects.filter((object) => {
    const key = keyOf(object);
    return !own.has(key) && !(prune && isApiObject(object) && kinds.has(kindTextOf(key)));
  });
  const notRead = notReadOver(given.notRead, there.notRead);
  return { read: { ...joined(given, there, [...stay, ...given.objects]), notRead }, said: [] };
}

/** --prune removes policies of the kinds that are read; others stay. */
function notReadOver(given: NotRead, there: NotRead): NotRead {
  const keyIn = ({ group, kind, namespace, name }: NotRead["policies"][number]) =>
    objectKey({ group, kind }, namespace, name);
  const own = new Set(given.policies.map(keyIn));
  return {
    policies: [...there.policies.filter((policy) => !own.has(keyIn(policy))), ...given.policies],
    sentences: there.sentences,
  };
}

function joined(
  given: ReadObjects,
  there: ReadObjects,
  objects: readonly WorldObject[],
): Omit<ReadObjects, "notRead"> {
  return {
    objects,
    problems: given.problems,
    ignored: given.ignored,
    leftOut: given.leftOut,
    staged: given.staged,
    unread: there.unread,
    workloads: given.workloads,
    placeOf: (key, field) => given.placeOf(key, field) ?? there.placeOf(key, field),
  };
}
