// The list of policy dialects, and what follows from it. A new dialect adds one line. Kinds that another program may have rows of
// in the same database are followed only where their flag says so.

import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./anp/index.ts";
import { antrea } from "./antrea/index.ts";
import { clusterNetworkPolicy } from "./cnp/index.ts";
import { networkPolicy } from "./networkpolicy/index.ts";
import type { ShownKey } from "./model/object.ts";
import { kindText, shownAmong } from "./model/object.ts";
import type { Dialect, PolicyKindTraits, ReferenceKind } from "./policy/contracts/dialect.ts";
import { kindsToRead, ownersOf } from "./policy/contracts/dialect.ts";
import type { Flags } from "./policy/contracts/flags.ts";
import { defaultsOf } from "./policy/contracts/flags.ts";
import type { SwitchedDialect } from "./policy/contracts/switched-dialect.ts";
import { switchedDialect } from "./policy/contracts/switched-dialect.ts";

const clusterWide = switchedDialect({
  switch: {
    flag: "enable-admin-network-policy",
    isOn: true,
    help: "false: the cluster-wide kinds are not watched, and their rows are kept",
    renderHelp: null,
  },
  options: {},
  isSpared: false,
  dialects: () => [adminNetworkPolicy, baselineAdminNetworkPolicy, clusterNetworkPolicy],
});

/** In the order of the help. */
export const switchedDialects: readonly SwitchedDialect[] = [clusterWide, networkPolicy, antrea];

/** The dialects that are in use, and what sources and writers need of them. */
export interface Installed {
  readonly dialects: readonly Dialect[];
  readonly policies: readonly PolicyKindTraits[];
  readonly references: readonly ReferenceKind[];
  readonly owners: ReadonlyMap<string, PolicyKindTraits>;
  /** Keys as users know them: without their group, unless two of these kinds have one name. */
  readonly shown: ShownKey;
  /** The kinds without which a command that asks has an answer too, where it may not list them. */
  readonly spared: readonly (PolicyKindTraits | ReferenceKind)[];
}

/** Of flags that were checked against their choices. */
export function installed(flags: Flags): Installed {
  const lists = switchedDialects.map((one) => ({ isSpared: one.isSpared, list: one.dialects(flags) }));
  const dialects = lists.flatMap(({ list }) => list);
  const kinds = kindsToRead(dialects);
  const shown = shownAmong([...kinds.policies, ...kinds.references]);
  const spared = kindsToRead(lists.flatMap(({ isSpared, list }) => (isSpared ? list : []))).policies;
  return { dialects, ...kinds, owners: ownersOf(dialects), shown, spared: [...kinds.references, ...spared] };
}

/** Every flag of a dialect that `run` has, with its default: the switches first. */
export const dialectDefaults: Flags = Object.fromEntries([
  ...switchedDialects.map((one) => [one.switch.flag, String(one.switch.isOn)] as const),
  ...switchedDialects.flatMap(({ options }) => Object.entries(defaultsOf(options))),
]);

/** The flags of a command that reads every kind. */
export const everyKind: Flags = {
  ...dialectDefaults,
  ...Object.fromEntries(switchedDialects.map((one) => [one.switch.flag, "true"] as const)),
};

/** Every kind: what commands read that write to no database. */
export const everyDialect = installed(everyKind);

/** The kinds that `northgate run` follows by default. */
export const { dialects, policies, references, owners, shown: shownKey } = installed(dialectDefaults);

/** Of kinds that have one name, the first in the list has it alone; the others are named with their group. */
export const kindsNamed: ReadonlyMap<string, PolicyKindTraits> = new Map(
  everyDialect.policies.map((kind, index) => {
    const first = everyDialect.policies.findIndex((one) => one.kind === kind.kind);
    return [first === index ? kind.kind : kindText(kind), kind];
  }),
);
