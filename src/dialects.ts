// The list of policy frontends, and what follows from it. A new dialect adds one line. NetworkPolicy and Antrea's kinds are
// switched on by whoever wants them: in a cluster with OVN-Kubernetes, OVN-Kubernetes has rows for it, and none of them may be ours.

import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./anp/index.ts";
import { antreaDialect } from "./antrea/index.ts";
import { clusterNetworkPolicy } from "./cnp/index.ts";
import { networkPolicyDialect } from "./networkpolicy/index.ts";
import type { LogSeverity } from "./model/log-severity.ts";
import type { ShownKey } from "./model/object.ts";
import { kindText, shownAmong } from "./model/object.ts";
import type { Dialect, PolicyKindTraits, ReferenceKind } from "./policy/dialect.ts";
import { kindsToRead, ownersOf } from "./policy/dialect.ts";

const adminDialects: readonly Dialect[] = [
  adminNetworkPolicy,
  baselineAdminNetworkPolicy,
  clusterNetworkPolicy,
];

/** The frontends that are in use, and what sources and writers need of them. */
export interface Installed {
  readonly dialects: readonly Dialect[];
  readonly policies: readonly PolicyKindTraits[];
  readonly references: readonly ReferenceKind[];
  readonly owners: ReadonlyMap<string, PolicyKindTraits>;
  /** Keys as users know them: without their group, unless two of these kinds have one name. */
  readonly shown: ShownKey;
}

/** Which kinds are followed: those of cluster-wide policies, NetworkPolicy, and Antrea's. */
interface Switches {
  readonly admin: boolean;
  readonly networkPolicy: boolean;
  /** Antrea's policies; false unless given. */
  readonly antrea?: boolean;
  /** Of verdicts that Antrea's rules ask to be logged; `info` unless given. */
  readonly antreaSeverity?: LogSeverity;
  /** Whether connections that Antrea's rules let through outlive a later deny; false unless given. */
  readonly antreaPersistent?: boolean;
  /** Whether NetworkPolicies may have rules that follow no connections; false unless given. */
  readonly stateless?: boolean;
}

export function installed(switches: Switches): Installed {
  const { admin, networkPolicy, stateless = false, antreaSeverity: severity = "info" } = switches;
  const { antreaPersistent: persistent = false } = switches;
  const dialects = [
    ...(admin ? adminDialects : []),
    ...(networkPolicy ? [networkPolicyDialect({ stateless })] : []),
    ...(switches.antrea === true ? [antreaDialect({ severity, persistent })] : []),
  ];
  const kinds = kindsToRead(dialects);
  const shown = shownAmong([...kinds.policies, ...kinds.references]);
  return { dialects, ...kinds, owners: ownersOf(dialects), shown };
}

/** Every kind: what commands read that write to no database. */
export const every = installed({ admin: true, networkPolicy: true, antrea: true });

/** The kinds that `northgate run` follows unless it is told otherwise. */
export const {
  dialects,
  policies,
  references,
  owners,
  shown: shownKey,
} = installed({ admin: true, networkPolicy: false });

/** Of kinds that have one name, the first in the list has it alone; the others are named with their group. */
export const kindsNamed: ReadonlyMap<string, PolicyKindTraits> = new Map(
  every.policies.map((kind, index) => {
    const first = every.policies.findIndex((one) => one.kind === kind.kind);
    return [first === index ? kind.kind : kindText(kind), kind];
  }),
);
