// The list of policy dialects, and what follows from it. A new dialect adds one line. Kinds that another program may have rows of
// in the same database are followed only where their flag says so.

import { adminNetworkPolicyWith, baselineAdminNetworkPolicy } from "./anp/index.ts";
import { antrea } from "./antrea/index.ts";
import { calico } from "./calico/index.ts";
import { cniFlag, cniNamed } from "./cni/answers.ts";
import { clusterNetworkPolicyWith } from "./cnp/index.ts";
import { networkPolicy } from "./networkpolicy/index.ts";
import type { ObjectKind, ShownKey } from "./model/object.ts";
import { kindText, shownAmong } from "./model/object.ts";
import { invariant } from "./lib/invariant.ts";
import type { Dialect, PolicyKindTraits, ReferenceKind } from "./policy/contracts/dialect.ts";
import { kindsToRead, ownersOf } from "./policy/contracts/dialect.ts";
import type { Flags } from "./policy/contracts/flags.ts";
import { defaultsOf } from "./policy/contracts/flags.ts";
import { namesFlag, namesOption } from "./policy/contracts/names.ts";
import type { OtherModel, UnreadPolicyKind } from "./policy/contracts/policy-model.ts";
import { modelFlag } from "./policy/contracts/policy-model.ts";
import type { TierLayout } from "./policy/contracts/tier-layout.ts";
import type { SwitchedDialect } from "./policy/contracts/switched-dialect.ts";
import { switchedDialect } from "./policy/contracts/switched-dialect.ts";

const clusterWide = switchedDialect({
  switch: {
    flag: "enable-admin-network-policy",
    isOn: true,
    help: "false: the cluster-wide kinds are not watched, and their rows are kept",
    renderHelp: null,
  },
  options: { [namesFlag]: namesOption },
  isSpared: false,
  dialects: ({ [namesFlag]: names }) => [
    adminNetworkPolicyWith(names),
    baselineAdminNetworkPolicy,
    clusterNetworkPolicyWith(names),
  ],
});

/** In the order of the help. */
export const switchedDialects: readonly SwitchedDialect[] = [clusterWide, networkPolicy, antrea];

const everySwitch: Flags = Object.fromEntries(
  switchedDialects.map((one) => [one.switch.flag, "true"] as const),
);

/** The policy models beside the first one. A new model adds one entry. */
export const otherModels: readonly OtherModel[] = [calico];

/** The policy model that has the dialects as they are. */
const firstModel = "kubernetes";

/** The values of the flag, the default first. */
export const policyModels: readonly string[] = [firstModel, ...otherModels.map(({ name }) => name)];

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
  /** How the tiers of all of them share those of a backend. */
  readonly tierLayout: TierLayout;
  /** The kinds of policy that only another policy model has, and those that are switched off. */
  readonly unread: readonly UnreadPolicyKind[];
}

/** The other model that the flags choose; null: the first one. */
export function otherModelOf(flags: Flags): OtherModel | null {
  const name = flags[modelFlag] ?? firstModel;
  const found = otherModels.find((one) => one.name === name) ?? null;
  invariant(found !== null || name === firstModel, `no policy model is named ${name}`);
  return found;
}

/** The flags under which a command judges: it reads what another program enforces, too. The same object where nobody does. */
export function judgingKinds(flags: Flags): Flags {
  const options = otherModelOf(flags)?.othersOptions ?? {};
  const others = Object.entries(options).filter(
    ([flag, { fallback }]) => (flags[flag] ?? fallback) !== fallback,
  );
  if (others.length === 0) return flags;
  return { ...flags, ...Object.fromEntries(others.map(([flag, { fallback }]) => [flag, fallback])) };
}

/** The kinds that are judged, and whose rows are another program's. */
export function kindsOfOthers(flags: Flags): readonly PolicyKindTraits[] {
  const judging = judgingKinds(flags);
  return judging === flags ? [] : kindsOnlyIn(judging, flags);
}

/** The kinds of the model that are read with other flags. */
function switchedOff(flags: Flags): readonly PolicyKindTraits[] {
  return kindsOnlyIn({ ...flags, ...everySwitch }, flags);
}

function kindsOnlyIn(more: Flags, less: Flags): readonly PolicyKindTraits[] {
  const policiesOf = (one: Flags) => kindsToRead(listsOf(one).flatMap(({ list }) => list)).policies;
  const own = new Set(policiesOf(less).map(kindText));
  return policiesOf(more).filter((kind) => !own.has(kindText(kind)));
}

/** Of flags that were checked against their choices. */
export function installed(flags: Flags): Installed {
  const model = otherModelOf(flags);
  const lists = listsOf(flags);
  const spared = kindsToRead(lists.flatMap(({ isSpared, list }) => (isSpared ? list : []))).policies;
  const of = ofDialects(lists.flatMap(({ list }) => list));
  return {
    ...of,
    spared: [...of.references, ...spared],
    tierLayout: model?.tierLayout(flags) ?? "threeTiers",
    unread:
      cniNamed(flags[cniFlag]) === null
        ? [...unreadIn(model), ...switchedOff(flags).map(leftAlone)]
        : kindsBeside([...of.policies, ...of.references]).map(leftAlone),
  };
}

interface OnDialects {
  readonly isSpared: boolean;
  readonly list: readonly Dialect[];
}

/** Those of the model that the network plugin enforces. */
function listsOf(flags: Flags): readonly OnDialects[] {
  const all = listsOfModel(flags);
  if (cniNamed(flags[cniFlag]) === null) return all;
  const isOn = ({ kinds }: Dialect): boolean => kinds.every((kind) => isEnforced(kind, flags));
  return all.map(({ isSpared, list }) => ({ isSpared, list: list.filter(isOn) }));
}

function isEnforced(kind: PolicyKindTraits, flags: Flags): boolean {
  return cniNamed(flags[cniFlag])?.kinds.includes(kindText(kind)) !== false;
}

/** Every other kind of policy, and of what policies refer to. */
function kindsBeside(read: readonly ObjectKind[]): readonly ObjectKind[] {
  const known = new Set(read.map(kindText));
  return [...everyDialect.policies, ...everyDialect.references].filter((kind) => !known.has(kindText(kind)));
}

/** An object of the kind is no mistake. */
function leftAlone(kind: ObjectKind): UnreadPolicyKind {
  return { kind, message: null };
}

/** The dialects that are on, as the model has them. */
function listsOfModel(flags: Flags): readonly OnDialects[] {
  const model = otherModelOf(flags);
  return [
    ...switchedDialects.map((one) => ({
      isSpared: one.isSpared,
      list:
        model === null
          ? one.dialects(flags)
          : one.dialects(flags).flatMap((dialect) => model.adapt(dialect) ?? []),
    })),
    { isSpared: false, list: model?.dialects(flags) ?? [] },
  ];
}

function ofDialects(dialects: readonly Dialect[]): Omit<Installed, "spared" | "tierLayout" | "unread"> {
  const kinds = kindsToRead(dialects);
  const shown = shownAmong([...kinds.policies, ...kinds.references]);
  return { dialects, ...kinds, owners: ownersOf(dialects), shown };
}

/** Of the kinds of other models, those that the given one has not. */
function unreadIn(model: OtherModel | null): readonly UnreadPolicyKind[] {
  const own =
    model === null ? [] : everyOfFirst.flatMap((dialect) => (model.adapt(dialect) === null ? [dialect] : []));
  const others = otherModels.filter((one) => one !== model);
  return [
    ...own.flatMap((dialect) => unreadOf(dialect, firstModel)),
    ...others.flatMap((one) => one.dialects({}).flatMap((dialect) => unreadOf(dialect, one.name))),
  ];
}

/** What the policies refer to is left alone with them. */
function unreadOf({ kinds, references: named }: Dialect, name: string): readonly UnreadPolicyKind[] {
  return kinds.map((kind) => ({
    kind: { ...kind, besides: [...(kind.besides ?? []), ...named.map((one) => one.kind)] },
    message: `${kind.kind} is enforced with --${modelFlag} ${name} alone`,
  }));
}

/** Every flag of a dialect that `run` has, with its default: the switches first. */
export const dialectDefaults: Flags = Object.fromEntries([
  ...switchedDialects.map((one) => [one.switch.flag, String(one.switch.isOn)] as const),
  ...switchedDialects.flatMap(({ options }) => Object.entries(defaultsOf(options))),
]);

/** The flags of a command that reads every kind. */
export const everyKind: Flags = { ...dialectDefaults, ...everySwitch };

const everyOfFirst = switchedDialects.flatMap((one) => one.dialects(everyKind));

/** Every kind of every policy model, as its own model has it: what may have rows in a database. */
export const everyDialect = ofDialects([...everyOfFirst, ...otherModels.flatMap((one) => one.dialects({}))]);

/** The kinds that `northgate run` follows by default. */
export const { dialects, policies, references, owners, shown: shownKey } = installed(dialectDefaults);

/** Of kinds that have one name, the first in the list has it alone; the others are named with their group. */
export const kindsNamed: ReadonlyMap<string, PolicyKindTraits> = new Map(
  everyDialect.policies.map((kind, index) => {
    const first = everyDialect.policies.findIndex((one) => one.kind === kind.kind);
    return [first === index ? kind.kind : kindText(kind), kind];
  }),
);
