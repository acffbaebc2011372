// What manifests of Calico's policies mean for a connection: slow and plain, written from Calico's documentation and code as they are
// told in docs/, and sharing nothing with the product. For each direction of each pod: tiers in their order, of each its policies in
// theirs, of each its rules; Allow and Deny decide, Log goes on, Pass leaves the tier; at a tier's end its default action, if one of
// its policies selects the pod in this direction; at the very end: allow. A node's way to its own pods, and a pod's to itself, are the
// caller's business.

import type { CalicoConnection, CalicoEnd, Direction } from "./connection.ts";
import { Endpoints } from "./endpoints.ts";
import { clusterPolicy, kubernetesPolicy } from "./kubernetes.ts";
import type { CalicoPolicy, CalicoVersion, Manifest, TierSpec } from "./manifests.ts";
import type { Action, WalkedPolicy } from "./policies.ts";
import { calicoPolicy } from "./policies.ts";

/** What decided, or passed. */
export interface CalicoStep {
  readonly tier: string;
  readonly direction: Direction;
  /** null: the end of the tier. */
  readonly rule: {
    readonly policy: Pick<WalkedPolicy, "group" | "kind" | "namespace" | "name">;
    /** From 0, among all rules of the direction. */
    readonly index: number;
  } | null;
  readonly action: Exclude<Action, "Log">;
}

export interface CalicoDecision {
  readonly verdict: "allow" | "deny";
  /** In order; the last one decided unless it is a Pass. */
  readonly steps: readonly CalicoStep[];
}

export interface CalicoJudgement {
  readonly verdict: "allow" | "deny";
  readonly egress: CalicoDecision;
  readonly ingress: CalicoDecision;
}

interface Tier {
  readonly name: string;
  readonly order: number;
  readonly atEnd: "Deny" | "Pass";
  readonly policies: readonly WalkedPolicy[];
}

/** They exist without an object, and no object changes them. */
const fixedTiers: Readonly<Record<string, Required<TierSpec>>> = {
  "kube-admin": { order: 1000, defaultAction: "Pass" },
  default: { order: 1_000_000, defaultAction: "Deny" },
  "kube-baseline": { order: 10_000_000, defaultAction: "Pass" },
};

export class CalicoJudge {
  readonly endpoints: Endpoints;
  readonly #tiers: readonly Tier[];

  constructor(manifests: readonly Manifest[]) {
    this.endpoints = new Endpoints(manifests);
    const policies = policiesOf(manifests, this.endpoints).sort(inOrder);
    const objects = manifests.filter((one) => one.kind === "Tier");
    const specs = new Map([
      ...objects.map(({ metadata, spec }): [string, TierSpec] => [metadata.name, spec]),
      ...Object.entries(fixedTiers),
    ]);
    this.#tiers = [...specs]
      .map(([name, { order = Infinity, defaultAction = "Deny" }]) => ({
        ...{ name, order, atEnd: defaultAction },
        policies: policies.filter(({ tier }) => tier === name),
      }))
      .sort((one, other) => byNumber(one.order, other.order) || byText(one.name, other.name));
  }

  judge(connection: CalicoConnection): CalicoJudgement {
    const egress = this.#decide("egress", connection.from, connection);
    const ingress = this.#decide("ingress", connection.to, connection);
    const isAllowed = egress.verdict === "allow" && ingress.verdict === "allow";
    return { verdict: isAllowed ? "allow" : "deny", egress, ingress };
  }

  #decide(direction: Direction, { pod }: CalicoEnd, connection: CalicoConnection): CalicoDecision {
    const subject = pod === null ? null : this.endpoints.ofPod(pod.namespace, pod.name);
    const steps: CalicoStep[] = [];
    if (subject === null) return { verdict: "allow", steps };
    for (const tier of this.#tiers) {
      const policies = tier.policies.filter(({ selects }) => selects(subject, direction));
      if (policies.length === 0) continue;
      const step = stepOf(tier, policies, direction, connection);
      steps.push(step);
      if (step.action !== "Pass") return { verdict: step.action === "Allow" ? "allow" : "deny", steps };
    }
    return { verdict: "allow", steps };
  }
}

function stepOf(
  { name: tier, atEnd }: Tier,
  policies: readonly WalkedPolicy[],
  direction: Direction,
  connection: CalicoConnection,
): CalicoStep {
  for (const policy of policies) {
    for (const [index, { action, matches }] of policy.rules[direction].entries()) {
      if (action === "Log" || !matches(connection)) continue;
      return { tier, direction, rule: { policy, index }, action };
    }
  }
  return { tier, direction, rule: null, action: atEnd };
}

function policiesOf(manifests: readonly Manifest[], endpoints: Endpoints): WalkedPolicy[] {
  return manifests.flatMap((manifest) => {
    if (manifest.kind === "ClusterNetworkPolicy") return [clusterPolicy(manifest, endpoints)];
    if (isCalicos(manifest)) return calicoPolicy(manifest, endpoints) ?? [];
    return manifest.kind === "NetworkPolicy" ? [kubernetesPolicy(manifest, endpoints)] : [];
  });
}

/** Kinds of one name are told apart by their groups. */
function isCalicos(manifest: Manifest): manifest is CalicoPolicy {
  const versions: readonly CalicoVersion[] = ["projectcalico.org/v3", "crd.projectcalico.org/v1"];
  return (
    (manifest.kind === "GlobalNetworkPolicy" || manifest.kind === "NetworkPolicy") &&
    versions.some((version) => version === manifest.apiVersion)
  );
}

function inOrder(one: WalkedPolicy, other: WalkedPolicy): number {
  return byNumber(one.order, other.order) || byText(one.tie, other.tie);
}

/** Also of infinite ones. */
function byNumber(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function byText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
