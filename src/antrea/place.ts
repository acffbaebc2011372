// `tier` and `priority` → a place in the order of all policies. Antrea's tiers precede every AdminNetworkPolicy, the
// tier `baseline` before every ClusterNetworkPolicy of tier Baseline and the BaselineAdminNetworkPolicy
// (docs/decisions/0031). Six tiers are there without an object; a Tier object brings another one, and never another
// priority for one of the six.

import type { PolicyObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { Field, Problems } from "../model/reader.ts";
import { isDnsSubdomain } from "../model/syntax.ts";
import type { Tier } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";
import { tierKind } from "./kinds.ts";
import { lastTier, lowest, numberOf, step } from "./numbers.ts";
import type { Reading } from "./reading.ts";

export interface Place {
  readonly tier: Tier;
  /** As the API names it. */
  readonly apiTier: string;
  readonly priority: number;
  /** Pass cannot leave this tier: nothing of the API follows it. */
  readonly isBaseline: boolean;
}

/** The first number that another kind has in the baseline tier: ClusterNetworkPolicy's lowest (docs/decisions/0027). */
const firstBehind = -1001;

/** Tiers that are there without an object: name to priority. */
const builtIn: ReadonlyMap<string, number> = new Map([
  ["emergency", 50],
  ["securityops", 100],
  ["networkops", 150],
  ["platform", 200],
  ["application", lastTier],
  ["baseline", 253],
]);
const taken: ReadonlyMap<number, string> = new Map(Array.from(builtIn, ([name, at]) => [at, name]));
const oldSpellings: ReadonlyMap<string, string> = new Map(
  ["Emergency", "SecurityOps", "NetworkOps", "Platform", "Application", "Baseline"].map((name) => [
    name,
    name.toLowerCase(),
  ]),
);
const unset = "application";

export function readPlace(spec: Field, reading: Reading): Place | null {
  const tier = readTier(spec.at("tier"), reading);
  const own = spec.at("priority").number(1, lowest);
  if (tier === null || own === null) return null;
  const { name: apiTier, priority } = tier;
  if (priority > lastTier)
    return { tier: tiers.baseline, apiTier, priority: own - step + firstBehind, isBaseline: true };
  return { tier: tiers.admin, apiTier, priority: numberOf(priority, own), isBaseline: false };
}

interface NamedTier {
  readonly name: string;
  /** 0..250, or that of the tier baseline. */
  readonly priority: number;
}

function readTier(field: Field, { resolve }: Reading): NamedTier | null {
  const text = field.present ? field.string() : unset;
  if (text === null) return null;
  const name = oldSpellings.get(text) ?? (text === "" ? unset : text);
  if (!isDnsSubdomain(name)) return field.error(`${field.quoted} is not a name of a tier`);
  const object = resolve(tierKind, null, name);
  const known = builtIn.get(name);
  if (known !== undefined) {
    if (object !== null) warnOfAnother(field, object, known);
    return { name, priority: known };
  }
  if (object === null) return field.error(`there is no tier ${name}`, "MissingReference");
  const priority = readObject(field, object);
  return priority === null ? null : { name, priority };
}

function warnOfAnother(field: Field, object: PolicyObject, known: number): void {
  const { raw } = new Field(new Problems(), "spec", object.spec).at("priority");
  if (raw !== known)
    field.warn(`the object Tier ${object.name} has another priority than ${known}, which stays in force`);
}

function readObject(field: Field, object: PolicyObject): number | null {
  const { priority, problem } = readTierObject(object);
  if (problem === null) return priority;
  return field.error(`Tier ${object.name}: ${problem.field}: ${problem.message}`);
}

/** The priority of a Tier that is none of the six; `problem`: why it has none. */
export function readTierObject({ spec }: PolicyObject): {
  readonly priority: number | null;
  readonly problem: Problem | null;
} {
  const problems = new Problems();
  const field = new Field(problems, "spec", spec).at("priority");
  const priority = field.integer(0, lastTier);
  const owner = priority === null ? undefined : taken.get(priority);
  if (owner !== undefined) field.error(`${field.quoted} is the priority of the tier ${owner}`);
  return { priority, problem: problems.list()[0] ?? null };
}

/** Whether the tier is there without an object, so that none can change its place. */
export function isBuiltIn(name: string): boolean {
  return builtIn.has(name);
}
