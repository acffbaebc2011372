// Policies of every kind as the judge walks them: a tier, an order, whom they select in which direction, and rules that answer. The
// policies of Calico's own kinds are read here, those of Kubernetes' in kubernetes.ts.

import type { CalicoConnection, Direction } from "./connection.ts";
import type { Endpoint, Endpoints } from "./endpoints.ts";
import type { CalicoPolicy, CalicoSpec } from "./manifests.ts";
import { metadataOf } from "./manifests.ts";
import { ruleMatches } from "./rules.ts";
import { parseSelector } from "./selector.ts";

export type Action = "Allow" | "Deny" | "Log" | "Pass";

export interface WalkedRule {
  readonly action: Action;
  readonly matches: (connection: CalicoConnection) => boolean;
}

export interface WalkedPolicy {
  /** As the program's findings have it. */
  readonly group: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly tier: string;
  readonly order: number;
  /** Orders those of one order. */
  readonly tie: string;
  readonly selects: (pod: Endpoint, direction: Direction) => boolean;
  readonly rules: Readonly<Record<Direction, readonly WalkedRule[]>>;
}

export const calicoGroup = "projectcalico.org";

/** Null: it is about host endpoints alone. */
export function calicoPolicy(manifest: CalicoPolicy, endpoints: Endpoints): WalkedPolicy | null {
  const { kind, spec } = manifest;
  if (spec.doNotTrack === true || spec.preDNAT === true) return null;
  const { name, namespace: given } = metadataOf(manifest);
  const namespace = kind === "NetworkPolicy" ? (given ?? "default") : null;
  const directions = directionsOf(manifest);
  const place = { endpoints, namespace };
  const rulesOf = (list: CalicoSpec["ingress"] = []): readonly WalkedRule[] =>
    list.map((rule) => ({
      action: rule.action,
      matches: (connection) => ruleMatches(rule, connection, place),
    }));
  return {
    ...{ group: calicoGroup, kind, namespace, name },
    tier: spec.tier ?? "default",
    order: spec.order ?? Infinity,
    tie: `${name}/${namespace ?? ""}/${kind}`,
    selects: (pod, direction) => directions.includes(direction) && isSubject(spec, pod, namespace),
    rules: { ingress: rulesOf(spec.ingress), egress: rulesOf(spec.egress) },
  };
}

/** Without `types`, the directions that have rules, and ingress where none has; both in the form that Calico stores. */
function directionsOf({
  apiVersion,
  spec: { types = [], ingress = [], egress = [] },
}: CalicoPolicy): readonly Direction[] {
  if (types.length > 0) return types.map((type) => (type === "Ingress" ? "ingress" : "egress"));
  if (apiVersion === "crd.projectcalico.org/v1") return ["ingress", "egress"];
  if (egress.length === 0) return ["ingress"];
  return ingress.length === 0 ? ["egress"] : ["ingress", "egress"];
}

function isSubject(spec: CalicoSpec, pod: Endpoint, namespace: string | null): boolean {
  const { selector = "", namespaceSelector = "", serviceAccountSelector = "" } = spec;
  return (
    (namespace === null || pod.namespace === namespace) &&
    parseSelector(selector).holds(pod.labels) &&
    parseSelector(namespaceSelector).holds(pod.namespaceLabels) &&
    parseSelector(serviceAccountSelector).holds(pod.accountLabels)
  );
}
