// Kinds of policy that Northgate does not read and that something else in the cluster may enforce, as data: whose traffic they
// can change, in which way, and where they say which pods they are about. Previews (Calico's Staged… kinds) enforce nothing
// and are not here. A version of a kind that is read in another version is foreign too.

import type { GroupKind, ObjectKind } from "../model/object.ts";
import { apiVersionOf, isSameKind, servedKinds } from "../model/object.ts";
import type { Direction } from "../policy/ir.ts";

export interface ForeignKind extends GroupKind {
  readonly namespaced: boolean;
  /** Of the pods that it is about. */
  readonly directions: readonly Direction[];
  /** `any`: it may allow or deny; `deny`: it may deny what policies allow, and not the other way round. */
  readonly effect: "any" | "deny";
  /** Fields of a spec with a label selector of pods; none of them there: every pod it can reach. */
  readonly selectors: readonly string[];
  /** Keys in these selectors that are no labels of the pod. */
  readonly derivedKeys?: RegExp;
  /** The field of a spec that makes it about nodes, and no pods. */
  readonly nodes?: string;
  /** The namespace from which an object reaches every namespace. */
  readonly root?: string;
}

const both: readonly Direction[] = ["ingress", "egress"];
/** What Cilium gives an endpoint beside the labels of its pod. */
const derivedKeys = /^io\.(kubernetes\.pod|cilium)\./;
const cilium = { group: "cilium.io", directions: both, effect: "any", derivedKeys } as const;
const calico = ["projectcalico.org", "crd.projectcalico.org"] as const;

export const foreignKinds: readonly ForeignKind[] = [
  { ...cilium, kind: "CiliumNetworkPolicy", namespaced: true, selectors: ["endpointSelector"] },
  {
    ...{ ...cilium, kind: "CiliumClusterwideNetworkPolicy", namespaced: false },
    ...{ selectors: ["endpointSelector"], nodes: "nodeSelector" },
  },
  // Their selectors are expressions, not label selectors.
  ...calico.flatMap((group): readonly ForeignKind[] => {
    const selects = { directions: both, effect: "any", selectors: [] } as const;
    return [
      { group, kind: "NetworkPolicy", namespaced: true, ...selects },
      { group, kind: "GlobalNetworkPolicy", namespaced: false, ...selects },
    ];
  }),
  {
    ...{ group: "k8s.ovn.org", kind: "EgressFirewall", namespaced: true },
    ...{ directions: ["egress"], effect: "deny", selectors: [] },
  },
  {
    ...{ group: "security.istio.io", kind: "AuthorizationPolicy", namespaced: true },
    ...{ directions: ["ingress"], effect: "deny", selectors: ["selector"], root: "istio-system" },
  },
];

/** All of whose kinds are policies. */
const policyGroups: ReadonlySet<string> = new Set(["policy.networking.k8s.io"]);

/** API groups to ask a cluster about. `read`: the kinds of policy that are read. */
export function foreignGroups(read: readonly ObjectKind[]): ReadonlySet<string> {
  return new Set([...foreignKinds, ...read.flatMap(servedKinds)].map(({ group }) => group));
}

/** The version in which objects of the kind are foreign, of those that a cluster serves; null: none. */
export function foreignVersion(
  kind: GroupKind,
  versions: readonly string[],
  read: readonly ObjectKind[],
): string | null {
  const [version] = versions;
  if (version === undefined || readIn(kind, read).some((one) => versions.includes(one.version))) return null;
  return foreignKindOf(kind, apiVersionOf({ group: kind.group, version }), read) === null ? null : version;
}

/** null: objects of the kind are read in this version, or say nothing of connections. */
export function foreignKindOf(
  { group, kind }: GroupKind,
  apiVersion: string,
  read: readonly ObjectKind[],
): ForeignKind | null {
  const own = readIn({ group, kind }, read);
  if (own.some((one) => apiVersionOf(one) === apiVersion)) return null;
  const listed = foreignKinds.find((one) => isSameKind(one, { group, kind }));
  if (listed !== undefined) return listed;
  const [first] = own;
  if (first === undefined && !policyGroups.has(group)) return null;
  const namespaced = first?.namespaced === true;
  return { group, kind, namespaced, directions: both, effect: "any", selectors: [] };
}

/** In which versions of its group the kind is read. */
function readIn(kind: GroupKind, read: readonly ObjectKind[]): readonly ObjectKind[] {
  return read.flatMap(servedKinds).filter((one) => isSameKind(one, kind));
}
