// AdminNetworkPolicies and the BaselineAdminNetworkPolicy, with the ClusterNetworkPolicies beside them →
// ClusterNetworkPolicies alone, in the order in which all of them are evaluated today (docs/decisions/0027): in the admin
// tier the old kind before the new one, in the baseline tier behind it. Takes objects that their dialects accept.

import type { PolicyObject } from "../model/object.ts";
import { isReferenced } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { Field, Problems } from "../model/reader.ts";
import { Names } from "./names.ts";
import { placesOf, priorities } from "./places.ts";
import { chunks, type Json, migrateRules, most } from "./rules.ts";

/** What was found in an object, or changed about it. */
export interface Finding {
  readonly object: PolicyObject;
  readonly problem: Problem;
}

export interface Migration {
  /** The policies that are new or have another priority, in the order in which they can be applied. */
  readonly policies: readonly PolicyObject[];
  /** Every ClusterNetworkPolicy that there is afterwards. */
  readonly all: readonly PolicyObject[];
  /** An error: its object could not be migrated. A warning: a change. */
  readonly findings: readonly Finding[];
}

const apiVersion = "policy.networking.k8s.io/v1alpha2";
const kind = "ClusterNetworkPolicy";
/** kubectl's memory of the object as it was last applied. */
const remembered = "kubectl.kubernetes.io/last-applied-configuration";

type Tier = "Admin" | "Baseline";

/** One policy on its way. */
interface Entry {
  readonly object: PolicyObject;
  readonly spec: Field;
  readonly problems: Problems;
  readonly tier: Tier;
  /** Orders the policies of both kinds in a tier. */
  readonly rank: number;
  /** The rules of each policy that it becomes; null: it is a ClusterNetworkPolicy already. */
  readonly pieces: readonly Json[] | null;
}

/** Entries of one rank. */
interface Rank {
  /** Those that become several policies, each of which needs numbers of its own, are first. */
  readonly split: readonly Entry[];
  /** These share the number behind those. */
  readonly single: readonly Entry[];
  readonly wanted: number;
  readonly width: number;
}

export function isOldKind({ kind: own }: PolicyObject): boolean {
  return own === "AdminNetworkPolicy" || own === "BaselineAdminNetworkPolicy";
}

export function isNewKind({ kind: own }: PolicyObject): boolean {
  return own === kind;
}

/** Of these policies, those of other kinds are not looked at. */
export function migrate(policies: readonly PolicyObject[]): Migration {
  const entries = policies.filter((one) => isOldKind(one) || isNewKind(one)).map(entryOf);
  const names = new Names(policies.filter(isNewKind).map(({ name }) => name));
  const tiers = (["Admin", "Baseline"] as const).map((tier) =>
    migrateTier(
      entries.filter((entry) => entry.tier === tier),
      names,
    ),
  );
  const all = tiers.flatMap(({ moved }) => moved);
  return {
    all: all.map(({ object }) => object),
    // While the old kind exists, only the policies that move can change a verdict: the last one moves first.
    policies: [
      ...all.filter(({ by }) => by !== null && by > 0).reverse(),
      ...all.filter(({ by }) => by !== null && by < 0),
      ...all.filter(({ by }) => by === null),
    ].map(({ object }) => object),
    findings: entries.flatMap(findingsOf),
  };
}

function findingsOf({ object, spec, problems }: Entry): readonly Finding[] {
  const more = problems.count - problems.list().length;
  if (more > 0) spec.warn(`has ${more} more changes, which are not shown`);
  return problems.list().map((problem) => ({ object, problem }));
}

function entryOf(object: PolicyObject): Entry {
  const problems = new Problems();
  const spec = new Field(problems, "spec", object.spec);
  const common = { object, spec, problems };
  const priority = Number(spec.at("priority").raw);
  if (object.kind === "AdminNetworkPolicy")
    return { ...common, tier: "Admin", rank: priority, pieces: piecesOf(spec) };
  if (isOldKind(object)) return { ...common, tier: "Baseline", rank: priorities, pieces: piecesOf(spec) };
  return spec.at("tier").raw === "Admin"
    ? { ...common, tier: "Admin", rank: priorities + priority, pieces: null }
    : { ...common, tier: "Baseline", rank: priority, pieces: null };
}

/** The n-th piece has the n-th rules of both directions, so that each direction keeps its order. */
function piecesOf(spec: Field): readonly Json[] {
  const lists = {
    ingress: chunks(migrateRules(spec.at("ingress"), "from"), most),
    egress: chunks(migrateRules(spec.at("egress"), "to"), most),
  };
  const count = Math.max(lists.ingress.length, lists.egress.length);
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(
      (["ingress", "egress"] as const).flatMap((direction) => {
        const rules = lists[direction][at] ?? [];
        return rules.length === 0 ? [] : [[direction, rules]];
      }),
    ),
  );
}

/** A policy as it is afterwards. */
interface Moved {
  readonly object: PolicyObject;
  /** How far its priority has moved; null: it is new. */
  readonly by: number | null;
}

function migrateTier(entries: readonly Entry[], names: Names): { readonly moved: readonly Moved[] } {
  const groups = [...Map.groupBy(entries, ({ rank }) => rank)].sort(([a], [b]) => a - b);
  const ranks = groups.map(([, equals]) => rankOf(equals));
  const starts = placesOf(ranks);
  if (starts === null) {
    const needed = ranks.reduce((sum, { width }) => sum + width, 0);
    for (const { spec } of entries)
      spec.error(`the policies of the tier need ${needed} priorities, and it has ${priorities}`, "NoPlace");
    return { moved: [] };
  }
  return {
    moved: ranks.flatMap((rank, at) => {
      const start = starts[at] ?? 0;
      tellOfTies(rank);
      let next = start;
      const split = rank.split.flatMap((entry) => {
        const first = next;
        next += entry.pieces?.length ?? 1;
        return become(entry, first, names);
      });
      return [...split, ...rank.single.flatMap((entry) => become(entry, next, names))];
    }),
  };
}

function rankOf(equals: readonly Entry[]): Rank {
  const sorted = equals.toSorted((a, b) => (a.object.name < b.object.name ? -1 : 1));
  const [split, single] = [true, false].map((isSplit) =>
    sorted.filter(({ pieces }) => (pieces?.length ?? 1) > 1 === isSplit),
  );
  const own = split?.reduce((sum, { pieces }) => sum + (pieces?.length ?? 1), 0) ?? 0;
  const width = own + (single?.length === 0 ? 0 : 1);
  const [first] = sorted;
  return {
    split: split ?? [],
    single: single ?? [],
    width,
    wanted: first === undefined ? 0 : wanted(first, width),
  };
}

/** An AdminNetworkPolicy's own number; the baseline has none, and follows all others. */
function wanted({ object, spec }: Entry, width: number): number {
  return object.kind === "BaselineAdminNetworkPolicy" ? priorities - width : Number(spec.at("priority").raw);
}

/** Pieces need numbers of their own, so an order is made where the API leaves it open. */
function tellOfTies({ split, single }: Rank): void {
  if (split.length + single.length < 2) return;
  for (const { object, spec } of split)
    spec
      .at("priority")
      .warn(
        `is shared with other policies, which leaves their order open: now the policies of ${object.name} precede those that stay whole`,
      );
}

/** The policies that the entry becomes, from this priority on. */
function become(entry: Entry, first: number, names: Names): readonly Moved[] {
  return entry.pieces === null ? [renumbered(entry, first)] : replaced(entry, entry.pieces, first, names);
}

function renumbered({ object, spec }: Entry, priority: number): Moved {
  const before = Number(spec.at("priority").raw);
  if (before === priority) return { object, by: 0 };
  spec.at("priority").warn(`${before} becomes ${priority}, so that the order with the other policies stays`);
  const annotations = annotationsOf(object);
  return {
    object: { ...object, annotations, spec: { ...fieldsOf(spec), priority } },
    by: priority - before,
  };
}

function annotationsOf({ annotations }: PolicyObject): PolicyObject["annotations"] {
  return new Map([...annotations].filter(([name]) => name !== remembered));
}

function replaced(entry: Entry, pieces: readonly Json[], first: number, names: Names): readonly Moved[] {
  const { object, spec, tier } = entry;
  const endings = (at: number) => [at === 0 ? `-${tier.toLowerCase()}` : `-${at + 1}`];
  const chosen = pieces.map((_, at) => names.take(object.name, endings(at)));
  tell(entry, chosen, first);
  return pieces.map((rules, at) => ({
    object: {
      kind,
      apiVersion,
      namespace: null,
      name: chosen[at] ?? object.name,
      uid: null,
      generation: null,
      annotations: annotationsOf(object),
      ...(isReferenced(object) ? { labels: object.labels } : {}),
      spec: { tier, priority: first + at, subject: spec.at("subject").raw, ...rules },
    },
    by: null,
  }));
}

function tell({ object, spec, tier }: Entry, names: readonly string[], first: number): void {
  const [only] = names;
  const last = first + names.length - 1;
  if (names.length > 1) {
    const shown = `${names.length} policies of ${most} rules a direction at most, ${names.join(", ")}`;
    spec.warn(`becomes ${shown}, with the priorities ${first} to ${last}`);
    return;
  }
  if (only !== object.name) spec.warn(`becomes ${only}, because another policy has its name`);
  if (tier === "Baseline") spec.warn(`becomes priority ${first} of tier Baseline`);
  else if (Number(spec.at("priority").raw) !== first)
    spec.at("priority").warn(`becomes ${first}, so that the order with the other policies stays`);
}

function fieldsOf(spec: Field): Json {
  return Object.fromEntries(spec.names().map((name) => [name, spec.at(name).raw]));
}
