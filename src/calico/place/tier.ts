// `tier` → a tier of the IR, and what happens at its end. Three tiers are there without an object, and an object of their names
// changes nothing about them.

import type { ReferencedObject } from "../../model/object.ts";
import type { Problem } from "../../model/problem.ts";
import { Field, Problems } from "../../model/reader.ts";
import { isDnsLabel } from "../../model/syntax.ts";
import type { ReferenceStatus, ReferenceVerdict } from "../../policy/contracts/dialect.ts";
import type { Tier } from "../../policy/ir.ts";
import { tierKind } from "../kinds.ts";
import type { Reading } from "../reading.ts";

export interface PlacedTier {
  readonly tier: Tier;
  /** What its end does with traffic of a direction in which a policy of the tier selects the pod. */
  readonly unmatched: "next" | "deny";
}

/** Name and order of the tier that a policy is in unless it says another. NetworkPolicies are in it. */
export const defaultTier: Tier = { name: "default", order: 1_000_000 };
/** The order that NetworkPolicies have in it. */
export const orderOfNetworkPolicies = 1_000;
/** Those of ClusterNetworkPolicy. */
export const kubeAdmin: Tier = { name: "kube-admin", order: 1_000 };
export const kubeBaseline: Tier = { name: "kube-baseline", order: 10_000_000 };

const builtIn: ReadonlyMap<string, PlacedTier> = new Map([
  [defaultTier.name, { tier: defaultTier, unmatched: "deny" }],
  [kubeAdmin.name, { tier: kubeAdmin, unmatched: "next" }],
  [kubeBaseline.name, { tier: kubeBaseline, unmatched: "next" }],
]);

/** null: an error was reported. */
export function readTier(field: Field, { resolve }: Reading): PlacedTier | null {
  const text = field.present ? field.string() : defaultTier.name;
  if (text === null) return null;
  const name = text === "" ? defaultTier.name : text;
  if (!isDnsLabel(name)) return field.error(`${field.quoted} is not a name of a tier`);
  const known = builtIn.get(name);
  if (known !== undefined) return known;
  const object = resolve(tierKind, null, name);
  if (object === null) return field.error(`there is no tier ${name}`, "MissingReference");
  const { placed, problems } = readTierObject(object);
  if (placed !== null) return placed;
  for (const problem of problems) field.error(`Tier ${name}: ${problem.field}: ${problem.message}`);
  return null;
}

interface ReadTier {
  /** null: at least one of the problems is an error. */
  readonly placed: PlacedTier | null;
  readonly problems: readonly Problem[];
}

function readTierObject({ name, spec }: ReferencedObject): ReadTier {
  const problems = new Problems();
  const field = new Field(problems, "spec", spec);
  if (field.present) field.object();
  const order = readOrder(field.at("order"));
  const action = field.at("defaultAction");
  const passes = action.raw === "Pass";
  if (action.present && !passes && action.raw !== "Deny")
    action.error(`must be Pass or Deny, not ${action.quoted}`, "UnknownAction");
  if (order === null || problems.failed) return { placed: null, problems: problems.list() };
  const placed: PlacedTier = { tier: { name, order }, unmatched: passes ? "next" : "deny" };
  return { placed, problems: problems.list() };
}

/** Infinity: there is none. null: an error was reported. */
export function readOrder(field: Field): number | null {
  if (!field.present) return Infinity;
  return typeof field.raw === "number" ? field.raw : field.error(`must be a number, not ${field.quoted}`);
}

/** What is wrong with a Tier, whether a policy names it or not. Its conditions are Calico's own. */
export const tierStatus: ReferenceStatus = { type: null, judge };

function judge(object: ReferencedObject): ReferenceVerdict {
  const { placed, problems } = builtIn.has(object.name) ? fixed(object) : readTierObject(object);
  if (placed !== null) return { isTrue: true, reason: "Accepted", message: "The tier has a place", problems };
  const message = problems.map((problem) => `${problem.field}: ${problem.message}`).join("; ");
  return { isTrue: false, reason: "Invalid", message, problems };
}

/** An object of a tier that is there without it: another order than the fixed one is without effect. */
function fixed({ name, spec }: ReferencedObject): ReadTier {
  const problems = new Problems();
  const placed = builtIn.get(name) ?? null;
  const order = new Field(problems, "spec", spec).at("order");
  if (order.present && order.raw !== placed?.tier.order)
    order.warn(`the order of the tier ${name} is always ${placed?.tier.order ?? ""}`);
  return { placed, problems: problems.list() };
}
