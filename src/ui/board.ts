// The first view: whether the policies are in force, and every policy in the column of its tier, in the order of evaluation.
// A column has at most so many policies, and says how many there are.

import { refOf } from "../analysis/ref.ts";
import { subjectText } from "../analysis/words.ts";
import { tierRefOf, tierText } from "../explain/tiers.ts";
import type { Hits, RuleHits } from "../hits/hits.ts";
import { hitsOfRule, totalText } from "../hits/hits.ts";
import type { OrderedPolicy } from "../explain/overview.ts";
import { orderedPolicies } from "../explain/overview.ts";
import type { PolicyHead } from "../policy/ir.ts";
import { directions, policyKey, tiers } from "../policy/ir.ts";
import { compareTiers } from "../policy/order.ts";
import { excerpt } from "./excerpt.ts";
import type { Trouble } from "./listed.ts";
import { shownPolicy, troubled, troubles } from "./listed.ts";
import type { Query } from "./query.ts";
import { limitOf } from "./query.ts";
import type { BoardCard, BoardShown, BoardTier, HealthShown } from "./shown/board.ts";
import type { LastChange, ShownWorld } from "./world.ts";

const mostOfTier = 200;
const mostSubjects = 3;
const mostUnread = 50;

export function boardOf(world: ShownWorld, query: Query): BoardShown {
  const { asked } = world;
  const limit = limitOf(query, 40, mostOfTier);
  const all = orderedPolicies(asked);
  const byName = Map.groupBy(all, ({ policy }) => tierText(tierRefOf(policy)));
  const present = Array.from(byName.values(), ([first]): BoardHead => first?.policy ?? { tier: tiers.admin });
  const absent = Object.values(tiers).flatMap((tier) => (byName.has(tier.name) ? [] : [{ tier }]));
  // The sort is stable: a tier's names stay in their order, before its own.
  const columns = [...present, ...absent].sort((a, b) => compareTiers(a.tier, b.tier));
  return {
    revision: world.revision,
    health: healthOf(world, all),
    tiers: columns.map((head) => columnOf(world, head, byName.get(tierText(tierRefOf(head))) ?? [], limit)),
    notRead: excerpt(
      asked.foreign.map(({ group, kind, namespace, name }) => ({ group, kind, namespace, name })),
      mostUnread,
    ),
    notAsked: asked.notAsked,
  };
}

type BoardHead = Pick<PolicyHead, "tier" | "apiTier">;

function columnOf(
  world: ShownWorld,
  head: BoardHead,
  policies: readonly OrderedPolicy[],
  limit: number,
): BoardTier {
  return {
    ...tierRefOf(head),
    total: policies.length,
    policies: policies.slice(0, limit).map((one) => cardOf(world, one)),
  };
}

function cardOf(world: ShownWorld, one: OrderedPolicy): BoardCard {
  const subject = [...new Set(one.policy.subject.map(subjectText))];
  return {
    ...shownPolicy(world, one),
    subject: excerpt(subject, mostSubjects),
    met: world.hits == null ? null : metBy(world.hits, one),
  };
}

function metBy(hits: Hits, { policy, isRefused }: OrderedPolicy): string | null {
  if (isRefused) return null;
  const byRule = new Map(
    directions.flatMap((direction) =>
      policy.rules[direction].map((rule): readonly [string, RuleHits] => [
        `${direction} ${rule.index}`,
        hitsOfRule(hits, policy, direction, rule),
      ]),
    ),
  );
  return byRule.size === 0 ? null : totalText([...byRule.values()]);
}

function healthOf(world: ShownWorld, all: readonly OrderedPolicy[]): HealthShown {
  const { live, asked, lastChange } = world;
  const found = Map.groupBy(troubled(world), ({ trouble }) => trouble);
  const counts = troubles.map((trouble): readonly [Trouble, number] => [
    trouble,
    found.get(trouble)?.length ?? 0,
  ]);
  const open = live === null ? [] : all.filter(({ policy }) => isOpen(live, policyKey(refOf(policy))));
  return {
    enforced:
      live === null
        ? null
        : {
            ...{ total: all.length, inForce: all.length - open.length },
            why: [...live.unenforced, ...live.pending],
          },
    writer: live?.writer ?? null,
    troubles: Object.fromEntries(counts) as Record<Trouble, number>,
    notRead: asked.foreign.length,
    lastChange: lastChange === null ? null : { ...lastChange, isPolicy: isPolicy(world, lastChange) },
  };
}

function isPolicy(world: ShownWorld, { object }: LastChange): boolean {
  return world.record(policyKey(object)) !== null;
}

function isOpen(
  live: NonNullable<ShownWorld["live"]>,
  key: Parameters<typeof live.whyNotInForce>[0],
): boolean {
  return live.whyNotInForce(key) !== null;
}
