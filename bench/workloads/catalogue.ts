// The workloads by name: how large each cluster is and how its policies are made. W1 to W4 grow; a narrow one has the same
// cluster in 50 tenants, and each of its policies sees one of them; K has the size that a large real cluster published.
// W1-cnp is W1 with every AdminNetworkPolicy as the ClusterNetworkPolicy that says the same, and so of the others. W1-np has the
// same selectors in NetworkPolicies: each rule allows, and a policy's subject is one namespace of its tenant. S is Antrea's: one
// ClusterNetworkPolicy with four rules about Self, over every namespace of W2's cluster. P has 12,000 small policies of three
// kinds (many.ts), P-tenth a tenth of them over the same pods, and P-np its 10,000 NetworkPolicies alone. N has 1,000 nodes. W1-calico is W1's cluster under Calico's model (calico.ts).

export type PolicyForm = "namespaces" | "mixed";

export const policyKinds = ["anp", "cnp", "np", "self", "many", "calico"] as const;
export type PolicyKind = (typeof policyKinds)[number];

type Ends = readonly [number, number, number, number];

export interface Workload {
  readonly name: string;
  readonly namespaces: number;
  readonly podsPerNamespace: number;
  readonly podCount: number;
  readonly nodes: number;
  readonly tenants: number;
  readonly policies: number;
  readonly firstPriority: number;
  /** Rules of each direction in one policy. */
  readonly rules: number;
  readonly form: PolicyForm;
  /** Every subject and peer of one policy is in one tenant. */
  readonly narrow: boolean;
  readonly kind: PolicyKind;
  /** The share of the tenants whose policies there are, of kind `many`; all unless given. */
  readonly part?: number;
  /** Of kind `many`, which have NetworkPolicies alone. */
  readonly networkPoliciesAlone?: true;
  /** What it must end in, where that is known by arithmetic: port groups, ACLs, address sets, addresses. */
  readonly ends: Ends | null;
  /** The same where every kind but NetworkPolicy has a set a selector. */
  readonly sharedEnds: Ends | null;
}

type Sizes = Omit<Workload, "name" | "podCount" | "narrow" | "firstPriority" | "kind" | "sharedEnds">;

const sizes: Readonly<Record<string, Sizes>> = {
  W1: {
    ...{ namespaces: 100, podsPerNamespace: 20, nodes: 50, tenants: 10 },
    ...{ policies: 30, rules: 10, form: "namespaces", ends: [30, 1_200, 600, 240_000] },
  },
  W2: {
    ...{ namespaces: 500, podsPerNamespace: 20, nodes: 250, tenants: 25 },
    ...{ policies: 60, rules: 20, form: "mixed", ends: [60, 3_120, 2_400, 1_259_400] },
  },
  W3: {
    ...{ namespaces: 1_000, podsPerNamespace: 50, nodes: 500, tenants: 50 },
    ...{ policies: 100, rules: 50, form: "mixed", ends: [100, 13_000, 10_000, 13_050_000] },
  },
  W4: {
    ...{ namespaces: 5_000, podsPerNamespace: 20, nodes: 500, tenants: 250 },
    ...{ policies: 100, rules: 50, form: "mixed", ends: null },
  },
  N: {
    ...{ namespaces: 1_000, podsPerNamespace: 20, nodes: 1_000, tenants: 50 },
    ...{ policies: 60, rules: 20, form: "mixed", ends: null },
  },
  K: {
    ...{ namespaces: 604, podsPerNamespace: 9, nodes: 250, tenants: 25 },
    ...{ policies: 60, rules: 20, form: "mixed", ends: null },
  },
};

/** S: a group a namespace, and of each of four rules an ACL a namespace; a group and two ACLs for all others; a set a namespace and one of all. A node has a group and an ACL. */
const self: Workload = {
  ...{ name: "S", namespaces: 500, podsPerNamespace: 20, podCount: 10_000, nodes: 250, tenants: 25 },
  ...{
    policies: 1,
    firstPriority: 1,
    rules: 3,
    form: "namespaces",
    narrow: false,
    kind: "self",
    ends: [751, 2_252, 501, 20_000],
    sharedEnds: [751, 2_252, 501, 20_000],
  },
};

/** P: every NetworkPolicy has a group and its ACLs, every namespace two groups with two ACLs each. */
const many: Workload = {
  ...{ name: "P", namespaces: 500, podsPerNamespace: 20, podCount: 10_000, nodes: 250, tenants: 50 },
  ...{ policies: 12_000, firstPriority: 0, rules: 2, form: "namespaces", narrow: true, kind: "many" },
  ...{ ends: null, sharedEnds: null },
};
/** The same pods, and the policies of a tenth of the tenants. */
export function tenthOf(workload: Workload): Workload {
  return { ...workload, name: `${workload.name}-tenth`, policies: workload.policies / 10, part: 1 / 10 };
}

/**
 * W1-calico: a group for each policy and each node. Each rule has an ACL, each policy one more for its tier's end in each direction,
 * each node one. Ten sets of namespaces for each direction, of 400 pods; what is outside of each app's 400 pods takes 101 or 103
 * networks, since such pods have neighbouring addresses.
 */
const calico: Workload = {
  ...{ name: "W1-calico", namespaces: 100, podsPerNamespace: 20, podCount: 2_000, nodes: 50, tenants: 10 },
  ...{ policies: 30, firstPriority: 1, rules: 10, form: "namespaces", narrow: false, kind: "calico" },
  ...{ ends: [80, 710, 25, 8_509], sharedEnds: [80, 710, 25, 8_509] },
};
const manyNp: Workload = { ...many, name: "P-np", policies: 10_000, networkPoliciesAlone: true };
const fixed: readonly Workload[] = [self, many, tenthOf(many), manyNp, calico];

/** Pods of the published cluster; the last of its namespaces is smaller here. */
const podsOfK = 5_413;
const narrowTenants = 50;

/** With a set a selector, as ClusterNetworkPolicies have it: each selector's once, and networks are in no set. */
const endsOfShared: Readonly<Record<string, Ends>> = {
  W1: [30, 1_200, 10, 2_000],
  W2: [60, 3_120, 160, 20_250],
};

/**
 * Of NetworkPolicies: two groups with two ACLs each for the namespace of each tenant, an ACL more for networks beside
 * selectors, no set of nodes, and a group with two ACLs for each node.
 */
const endsOfNp: Readonly<Record<string, Ends>> = {
  W1: [100, 1_340, 10, 2_000],
  W2: [360, 4_440, 150, 20_000],
};

export const workloadNames: readonly string[] = [
  ...Object.keys(sizes).flatMap((name) =>
    ["", "-narrow", "-cnp", "-narrow-cnp", "-np", "-narrow-np"].map((suffix) => `${name}${suffix}`),
  ),
  ...fixed.map(({ name }) => name),
];

/** null: there is no such workload. */
export function workloadOf(name: string): Workload | null {
  const known = fixed.find((one) => one.name === name);
  if (known !== undefined) return known;
  const [, base = "", narrowly = "", suffix = ""] = /^(\w+?)(-narrow)?(-c?np)?$/.exec(name) ?? [];
  const found = Object.hasOwn(sizes, base) ? sizes[base] : undefined;
  return found === undefined ? null : variantOf(found, { name, base, suffix, narrow: narrowly !== "" });
}

interface Variant {
  readonly name: string;
  readonly base: string;
  readonly suffix: string;
  readonly narrow: boolean;
}

function variantOf(found: Sizes, { name, base, suffix, narrow }: Variant): Workload {
  const kind = policyKinds.find((one) => suffix === `-${one}`) ?? "anp";
  const endsOf = {
    anp: found.ends,
    cnp: endsOfShared[base] ?? null,
    np: endsOfNp[base] ?? null,
    self: null,
    many: null,
    calico: null,
  };
  return {
    ...found,
    ...{ name, narrow, kind, ends: endsOf[kind], sharedEnds: endsOf[kind === "anp" ? "cnp" : kind] },
    podCount: base === "K" ? podsOfK : found.namespaces * found.podsPerNamespace,
    firstPriority: found.policies < 100 ? 1 : 0,
    ...(narrow ? { tenants: narrowTenants, ends: null, sharedEnds: null } : {}),
  };
}
