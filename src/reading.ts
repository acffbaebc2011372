// What the gauges show, read from the parts at the moment of a scrape.

import type { Groups } from "./groups/index.ts";
import type { Loop } from "./controller/loop.ts";
import type { PolicyJournal } from "./journal.ts";
import type { FamilyKind, Reading, RuleAction, RuleDirection } from "./metrics/metrics.ts";
import type { NorthboundBackend } from "./nbdb/backend.ts";
import type { Northbound } from "./nbdb/schema.ts";
import type { SocketSession } from "./ovsdb/index.ts";
import type { Action, Direction } from "./policy/ir.ts";

interface Parts {
  readonly journal: PolicyJournal;
  readonly backend: NorthboundBackend;
  readonly loop: Loop;
  readonly session: SocketSession<Northbound>;
  readonly groups: Groups;
}

const kindOf: Readonly<Record<FamilyKind, string>> = {
  admin: "AdminNetworkPolicy",
  baseline: "BaselineAdminNetworkPolicy",
};
const directionOf: Readonly<Record<RuleDirection, Direction>> = { Ingress: "ingress", Egress: "egress" };
const actionOf: Readonly<Record<RuleAction, Action>> = { Allow: "allow", Deny: "deny", Pass: "pass" };

export function reading({ journal, backend, loop, session, groups }: Parts): Reading {
  const policies = (kind: FamilyKind) =>
    [...journal.inForce()].filter((policy) => policy.ref.kind === kindOf[kind]);
  return {
    policies: (kind) => policies(kind).length,
    rules: (kind, direction, action) =>
      policies(kind)
        .flatMap((policy) => policy.rules[directionOf[direction]])
        .filter((rule) => rule.action === actionOf[action]).length,
    rows: (kind, table) => backend.actual.count(table).get(kindOf[kind]) ?? 0,
    queueDepth: () => loop.queue.size,
    queueOldestSeconds: () => loop.queue.oldestMs / 1000,
    connected: () => session.ready,
    totals: () => ({
      transactions: session.stats.transactions,
      operations: session.stats.operations,
      reconnects: Math.max(0, session.stats.fills - 1),
      selectorEvaluations: groups.stats.selectorEvaluations,
    }),
  };
}
