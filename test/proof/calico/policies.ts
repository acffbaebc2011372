// Random tiers and the policies in them, biased so that several select the same pods: broad subjects, few orders, names that tie.

import fc from "fast-check";
import { calicoNp, clusterNp, gnp, knp, tier } from "../../oracle/calico/build.ts";
import type { CalicoPolicy, CalicoRule, CalicoSpec, Manifest, Tier } from "../../oracle/calico/manifests.ts";
import { spaces } from "../pods.ts";
import { clusterPolicySpec, networkPolicySpec } from "./kubernetes.ts";
import type { Leeway } from "./rules.ts";
import { rule, told } from "./rules.ts";
import { accountSelector, namespaceSelector, selector } from "./selectors.ts";

const tierNames = ["first", "second", "third", "fourth"] as const;
/** One twice, two behind `default`, and none at all, which is behind everything. */
const orders = [-5.5, 0.25, 0.25, 100, 999, 1_000_000.5, 20_000_000, null];

const tiers: fc.Arbitrary<readonly Tier[]> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...tierNames), { minLength: 1, maxLength: 4 }),
    fc.array(fc.constantFrom(...orders), { minLength: 4, maxLength: 4 }),
    fc.array(fc.constantFrom(null, "Deny" as const, "Pass" as const, "Pass" as const, "Pass" as const), {
      minLength: 4,
      maxLength: 4,
    }),
  )
  .map(([names, numbers, actions]) =>
    names.map((name, at) => {
      const [order, defaultAction] = [numbers[at] ?? null, actions[at] ?? null];
      return tier(name, {
        ...(order === null ? {} : { order }),
        ...(defaultAction === null ? {} : { defaultAction }),
      });
    }),
  );

const order = fc.constantFrom(undefined, undefined, -1, 0, 0.5, 0.5, 10, 1000, 1000, 1001);
const names = ["p", "p-b", "q", "first.p", "default.q"] as const;
const types = fc.constantFrom<CalicoSpec["types"]>(
  undefined,
  undefined,
  ["Ingress"],
  ["Egress"],
  ["Ingress", "Egress"],
);

/** In one of eight. */
const rarely = <T>(one: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one });

const subject = told<CalicoSpec>(
  fc.record({
    selector: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("", "all()", undefined) },
      { weight: 3, arbitrary: selector },
    ),
    serviceAccountSelector: rarely(accountSelector),
  }),
);

const rules = (one: fc.Arbitrary<CalicoRule>) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.array(one, { minLength: 2, maxLength: 5, size: "+1" }) },
  );

function spec(tierName: string, leeway: Leeway): fc.Arbitrary<CalicoSpec> {
  const head = told<CalicoSpec>(fc.record({ order, types }));
  return fc
    .record({
      ...{ head, subject },
      ingress: rules(rule(leeway, "source")),
      egress: rules(rule(leeway, "destination")),
      isDefault: fc.boolean(),
    })
    .map(({ head: first, subject: whom, ingress, egress, isDefault }) => ({
      ...(tierName === "default" && isDefault ? {} : { tier: tierName }),
      ...{ ...first, ...whom },
      ...(ingress.length === 0 ? {} : { ingress }),
      ...(egress.length === 0 ? {} : { egress }),
    }));
}

interface Drafted {
  readonly name: string;
  /** null: a global policy. */
  readonly namespace: string | null;
  readonly namespaces: string | undefined;
  readonly spec: CalicoSpec;
}

const drafted = (tierName: string, leeway: Leeway): fc.Arbitrary<Drafted> =>
  fc.record({
    name: fc.constantFrom(...names),
    namespace: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(...spaces) },
    ),
    namespaces: rarely(namespaceSelector),
    spec: spec(tierName, leeway),
  });

function policyOf({ name, namespace, namespaces, spec: given }: Drafted): CalicoPolicy {
  if (namespace !== null) return calicoNp(name, given, namespace);
  return gnp(name, namespaces === undefined ? given : { ...given, namespaceSelector: namespaces });
}

/** `passing`: how many tiers may have rules that pass. */
export function policies(passing: number): fc.Arbitrary<readonly Manifest[]> {
  const some = fc.subarray([...tierNames, "default", "kube-admin"], { maxLength: passing });
  return fc.tuple(tiers, some).chain(([objects, chosen]) => {
    const may = new Set<string>(chosen);
    const tierOf = ["default", ...objects.map(({ metadata }) => metadata.name)];
    const leeway = (name: string): Leeway => ({ passes: may.has(name) });
    const inTiers = fc.array(
      fc.constantFrom(...tierOf).chain((name) => drafted(name, leeway(name))),
      { minLength: 3, maxLength: 7, size: "+1" },
    );
    const network = fc.array(fc.record({ namespace: fc.constantFrom(...spaces), spec: networkPolicySpec }), {
      maxLength: 2,
    });
    const cluster = fc.array(clusterPolicySpec(may.has("kube-admin")), { maxLength: 2 });
    return fc
      .tuple(inTiers, network, cluster)
      .map(([drafts, plain, wide]) => [
        ...objects,
        ...distinct(drafts.map(policyOf)),
        ...plain.map((one, at) => knp(at === 0 ? "p" : `k-${at}`, one.spec, one.namespace)),
        ...wide.map((one, at) => clusterNp(`c-${at}`, { ...one, priority: at * 10 })),
      ]);
  });
}

/** The first of each name. */
function distinct(list: readonly CalicoPolicy[]): readonly CalicoPolicy[] {
  const keyOf = ({ kind, metadata: { namespace = "", name } }: CalicoPolicy) =>
    `${kind}/${namespace}/${name}`;
  return [...new Map(list.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
}
