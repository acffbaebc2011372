// Compares two renderings of one unit, part by part: which parts were rendered again, and which of their objects are
// new.

import { isReused } from "../../lib/identity.ts";
import type { Differing } from "../../lib/sequence.ts";
import type { DesiredPortGroup, NamedPortRule, PartChange, UnitPart, UnitRows } from "../rows/unit.ts";

/** How the named ports of changed parts changed. */
export interface NamedPortsChange {
  /** Rules that resolve to the same destinations as an earlier rule of the unit, each with that earlier rule. */
  readonly carried: ReadonlyMap<NamedPortRule, NamedPortRule>;
  /** Ids of the ACLs that were or are desired for their named ports. */
  readonly acls: readonly string[];
  /** Names of the Address_Sets that were desired for their named ports. */
  readonly sets: readonly string[];
}

/** A unit whose rows were rendered, and how they differ from those before. */
export interface Rendering {
  readonly after: UnitRows;
  /** It had no rows before, or rows for other families. */
  readonly isFullRebuild: boolean;
  readonly changes: readonly PartChange[];
  readonly portGroups: Differing<DesiredPortGroup>;
  readonly namedPorts: NamedPortsChange;
}

const noParts: ReadonlyMap<string, UnitPart> = new Map();

/** The parts whose rows are new objects. */
export function partChanges(before: UnitRows | null, after: UnitRows | null): readonly PartChange[] {
  const [old, now] = [before?.parts ?? noParts, after?.parts ?? noParts];
  const changes: PartChange[] = [];
  for (const key of new Set([...now.keys(), ...old.keys()])) {
    const [was, is] = [old.get(key) ?? null, now.get(key) ?? null];
    if (!isReused(was, is)) changes.push({ before: was, after: is });
  }
  return changes;
}
