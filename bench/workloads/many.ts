// Workload P: thousands of small policies, as many teams write them. 20 NetworkPolicies a namespace, and cluster-wide ones of
// one tenant each, ten namespaces a tenant. A part of P has the same cluster and the policies of the first tenants alone, so
// that a pod of theirs is concerned by exactly the same policies in both.

import type { PolicyObject } from "../../src/model/object.ts";
import { anp, cnp, namespacesWith, np, podsWith } from "../../test/support/policies.ts";
import type { Workload } from "./catalogue.ts";
import { appCount, appLabel, namespaceName, tenantLabel } from "./world.ts";

/** The shares of the kinds, and the priorities that the cluster-wide ones go through. */
const shares = { np: 10 / 12, cnp: 1 / 12, anp: 1 / 12 } as const;
const alone = { np: 1, cnp: 0, anp: 0 } as const;
const priorities = 1_001;

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });

/** The share of the tenants that have policies in the smallest part of P: in these alone pods come and go, in every part. */
const smallest = 1 / 10;

export function tenantsOfChurn({ kind, tenants }: Workload): number {
  return kind === "many" ? tenants * smallest : tenants;
}

export function manyPolicies(workload: Workload): readonly PolicyObject[] {
  const { policies, part = 1, networkPoliciesAlone = false } = workload;
  const { np: nps, cnp: cnps, anp: anps } = networkPoliciesAlone ? alone : shares;
  const mine = workload.tenants * part;
  const of = (share: number, policy: (i: number) => PolicyObject) =>
    Array.from({ length: Math.round((policies / part) * share) }, (_, i) => i)
      .filter((i) => i % workload.tenants < mine)
      .map(policy);
  return [
    ...of(nps, (i) => networkPolicy(`np-${i}`, i, workload)),
    ...of(cnps, (i) => clusterPolicy(`cnp-${i}`, i, workload)),
    ...of(anps, (i) => adminPolicy(`anp-${i}`, i, workload)),
  ];
}

/** One policy of each kind beside those that stand, of the first tenant. */
export function churnPolicies(workload: Workload): readonly (readonly [string, PolicyObject])[] {
  const own = [["NetworkPolicy", networkPolicy("churn", 0, workload)]] as const;
  if (workload.networkPoliciesAlone === true) return own;
  return [
    ...own,
    ["ClusterNetworkPolicy", clusterPolicy("churn", 0, workload, 99)],
    ["AdminNetworkPolicy", adminPolicy("churn", 0, workload, 99)],
  ];
}

/** Of the pods of an app in a namespace: its neighbours and its tenant may come in, and it may ask for names and databases. */
function networkPolicy(name: string, i: number, { namespaces, tenants }: Workload): PolicyObject {
  const round = Math.floor(i / namespaces);
  const at = i % namespaces;
  const app = (step: number) => ({ podSelector: { matchLabels: { app: appLabel(round + step) } } });
  const port = (number: number, protocol = "TCP") => ({ protocol, port: number });
  const spec = {
    podSelector: { matchLabels: { app: appLabel(round) } },
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      { from: [app(1)], ports: [port(8000 + round)] },
      { from: [{ namespaceSelector: { matchLabels: { tenant: tenantLabel(at, tenants) } } }] },
    ],
    egress: [{ to: [app(2)], ports: [port(5432), port(53, "UDP")] }],
  };
  return np(name, spec, namespaceName(at));
}

function clusterPolicy(name: string, i: number, workload: Workload, priority = i % priorities): PolicyObject {
  const own = tenantLabel(i, workload.tenants);
  const next = tenantLabel(i + 1, workload.tenants);
  return cnp(name, {
    priority,
    subject: namespacesWith({ tenant: own }),
    ingress: [
      {
        action: "Deny",
        from: [namespacesWith({ tenant: next })],
        protocols: [{ tcp: { destinationPort: { number: 8000 } } }],
      },
    ],
    egress: [{ action: "Accept", to: [podsWith({ tenant: own }, { app: appLabel(i / workload.tenants) })] }],
  });
}

function adminPolicy(name: string, i: number, workload: Workload, priority = i % priorities): PolicyObject {
  const own = tenantLabel(i, workload.tenants);
  const app = Math.floor(i / workload.tenants) % appCount;
  return anp(name, {
    priority,
    subject: podsWith({ tenant: own }, { app: appLabel(app) }),
    ingress: [
      { action: "Allow", from: [podsWith({ tenant: own }, { app: appLabel(app + 1) })], ports: [tcp(8000)] },
      { action: "Pass", from: [podsWith({ tenant: own }, { app: appLabel(app + 2) })] },
    ],
    egress: [
      { action: "Deny", to: [podsWith({ tenant: own }, { app: appLabel(app + 3) })], ports: [tcp(8000)] },
    ],
  });
}
