// What the gauges show, read from the parts at the moment of a scrape.

import { policies as kinds } from "../dialects.ts";
import type { Groups } from "../groups/index.ts";
import type { Loop } from "../controller/loop.ts";
import type { ReportedPolicies } from "../status/reported.ts";
import type { FamilyKind, RuleAction, RuleDirection } from "../metrics/documented.ts";
import type { Gauges, Series } from "../metrics/metrics.ts";
import type { NorthboundBackend } from "../nbdb/backend.ts";
import type { Northbound } from "../nbdb/rows/schema.ts";
import type { SocketSession } from "../ovsdb/index.ts";
import type { Action, Direction } from "../policy/ir.ts";
import type { OpenedSource } from "./sources.ts";

interface Parts {
  readonly reported: ReportedPolicies;
  readonly backend: NorthboundBackend;
  readonly loop: Loop;
  readonly session: SocketSession<Northbound>;
  readonly groups: Groups;
  readonly source: OpenedSource;
  readonly writes: () => Series;
}

const ownerTypeOf = (label: FamilyKind): string | undefined =>
  kinds.find(({ metricLabel }) => metricLabel === label)?.ownerType;
const directionOf: Readonly<Record<RuleDirection, Direction>> = { Ingress: "ingress", Egress: "egress" };
const actionOf: Readonly<Record<RuleAction, Action>> = { Allow: "allow", Deny: "deny", Pass: "pass" };
const cached = ["ACL", "Address_Set", "Port_Group", "Logical_Switch_Port"] as const;

export function gauges({ reported, backend, loop, session, groups, source, writes }: Parts): Gauges {
  const policies = (kind: FamilyKind) =>
    [...reported.inForce()].filter((policy) => policy.ownerType === ownerTypeOf(kind));
  const resources =
    (read: (resource: ReturnType<OpenedSource["resources"]>[number]) => number) => (): Series =>
      source.resources().map((resource) => [[resource.resource], read(resource)] as const);
  return {
    policies: (kind) => policies(kind).length,
    rules: (kind, direction, action) =>
      policies(kind)
        .flatMap((policy) => policy.rules[directionOf[direction]])
        .filter((rule) => rule.action === actionOf[action]).length,
    rows: (kind, table) => backend.actual.count(table).get(ownerTypeOf(kind) ?? "") ?? 0,
    queueDepth: () => loop.queue.size,
    queueOldestSeconds: () => loop.queue.oldestMs / 1000,
    connected: () => session.ready,
    cacheRows: () => cached.map((table) => [[table], session.cache.table(table).size] as const),
    transactions: () => session.stats.transactions,
    reconnects: () => Math.max(0, session.stats.fills - 1),
    selectorEvaluations: () => groups.stats.selectorEvaluations,
    sourceObjects: resources(({ objects }) => objects),
    sourceSynced: resources(({ synced }) => Number(synced)),
    sourceRequests: resources(({ stats }) => stats.requests),
    sourceWatches: resources(({ stats }) => stats.watches),
    sourceRelists: () =>
      source
        .resources()
        .flatMap(({ resource, stats }) =>
          Object.entries(stats.relists).map(([reason, count]) => [[resource, reason], count] as const),
        ),
    writes,
  };
}
