// The policies of a workload, by the formulas. Written as an API server would give them, so that the dialect's own work is
// part of what is measured. Actions rotate Allow, Deny, Pass.

import type { PolicyObject } from "../../src/model/object.ts";
import { acnp } from "../../test/support/antrea.ts";
import { anp, asClusterPolicy, namespacesWith, podsWith } from "../../test/support/policies.ts";
import type { Workload } from "./catalogue.ts";
import { asNetworkPolicy } from "./as-network-policy.ts";
import { calicoPolicy } from "./calico.ts";
import { manyPolicies } from "./many.ts";
import { appLabel, namespaceName, poolCount, tenantLabel } from "./world.ts";

const actions = ["Allow", "Deny", "Pass"] as const;
const actionOf = (r: number): string => actions[r % actions.length] ?? "Allow";

const number = (protocol: string, port: number) => ({ portNumber: { protocol, port } });
const range = (protocol: string, start: number, end: number) => ({ portRange: { protocol, start, end } });

export function policyName(i: number): string {
  return `policy-${i}`;
}

export function policiesOf(workload: Workload): readonly PolicyObject[] {
  if (workload.kind === "many") return manyPolicies(workload);
  return Array.from({ length: workload.policies }, (_, i) => policyOf(i, workload));
}

/** Policy i of the workload; another name and priority make it another policy that says the same. */
export function policyOf(
  i: number,
  workload: Workload,
  name = policyName(i),
  priority = workload.firstPriority + i,
): PolicyObject {
  if (workload.kind === "self") return selfPolicy(name, priority);
  if (workload.kind === "calico") return calicoPolicy(i, workload, name, priority);
  const rules = Array.from({ length: workload.rules }, (_, r) => r);
  const policy = anp(name, {
    priority,
    subject: subjectOf(i, workload),
    ingress: rules.map((r) => ({
      name: `in-${r}`,
      action: actionOf(r),
      from: ingressPeers(i, r, workload),
      ...portsOf(r, workload),
    })),
    egress: rules.map((r) => ({
      name: `out-${r}`,
      action: actionOf(r),
      to: egressPeers(i, r, workload),
      ...portsOf(r, workload),
    })),
  });
  switch (workload.kind) {
    case "anp":
      return policy;
    case "cnp":
      return asClusterPolicy(policy);
    default:
      return asNetworkPolicy(policy, namespaceName(i % workload.tenants));
  }
}

/** Pods of a namespace reach each other, on two ports by rules of their own; nobody of another namespace does. */
function selfPolicy(name: string, priority: number): PolicyObject {
  const own = [{ namespaces: { match: "Self" } }];
  const others = [{ namespaceSelector: {} }];
  return acnp(name, {
    ...{ tier: "securityops", priority: Math.max(1, priority), appliedTo: [{ namespaceSelector: {} }] },
    ingress: [
      { name: "in-http", action: "Allow", from: own, ports: [{ protocol: "TCP", port: 8080 }] },
      { name: "in-own", action: "Pass", from: own },
      { name: "in-others", action: "Drop", from: others },
    ],
    egress: [
      { name: "out-dns", action: "Allow", to: own, ports: [{ protocol: "UDP", port: 5353 }] },
      { name: "out-own", action: "Pass", to: own },
      { name: "out-others", action: "Drop", to: others },
    ],
  });
}

const ofTenant = (i: number, { tenants }: Workload) => ({ tenant: tenantLabel(i, tenants) });

function subjectOf(i: number, workload: Workload): unknown {
  if (workload.form === "namespaces" || i % 2 === 0) return namespacesWith(ofTenant(i, workload));
  return podsWith(ofTenant(i, workload), { app: appLabel(i) });
}

/** The tenant that stands `step` further on; a narrow policy stays in its own. */
function peerTenant(i: number, step: number, workload: Workload) {
  return ofTenant(workload.narrow ? i : i + step, workload);
}

function ingressPeers(i: number, r: number, workload: Workload): readonly unknown[] {
  const tenant = (step: number) => peerTenant(i, step, workload);
  if (workload.form === "namespaces") return [namespacesWith(tenant(r)), namespacesWith(tenant(r + 3))];
  return [
    namespacesWith(tenant(r)),
    podsWith(tenant(2 * r + 1), { app: appLabel(r) }),
    podsWith(tenant(3 * r + 2), { app: appLabel(r + 1) }),
  ];
}

function egressPeers(i: number, r: number, workload: Workload): readonly unknown[] {
  const tenant = (step: number) => peerTenant(i, step, workload);
  if (workload.form === "namespaces") {
    return [namespacesWith(tenant(2 * r + 1)), namespacesWith(tenant(2 * r + 5))];
  }
  return [
    namespacesWith(tenant(r + 7)),
    podsWith(tenant(2 * r + 4), { app: appLabel(r) }),
    ...(r % 2 === 0 ? [{ nodes: { matchLabels: { pool: `p${(i + r) % poolCount}` } } }] : []),
    ...networkRules(r).map((n) => ({ networks: [`198.18.${n}.0/24`, `203.0.${n}.0/24`] })),
  ];
}

const hasNamedPort = (r: number): boolean => r % 10 === 9;

/** Odd rules have networks. The API refuses them beside a named port: those stand one rule earlier. */
function networkRules(r: number): readonly number[] {
  return [r, r + 1].filter((n) => n % 2 === 1 && hasNamedPort(n) === (n !== r));
}

function portsOf(r: number, { form }: Workload): { readonly ports?: readonly unknown[] } {
  if (form === "namespaces") {
    return { ports: [number("TCP", 8000 + r), number("TCP", 9000 + r), number("UDP", 5000 + r)] };
  }
  if (hasNamedPort(r)) return { ports: [{ namedPort: "http" }] };
  switch (r % 5) {
    case 0:
      return { ports: [number("TCP", 8000 + r)] };
    case 1:
      return { ports: [number("TCP", 8000 + r), number("UDP", 5000 + r)] };
    case 2:
      return { ports: [range("TCP", 20000 + r, 21000 + r)] };
    case 3:
      return {};
    default:
      return {
        ports: [number("TCP", 8000 + r), number("TCP", 9000 + r), range("UDP", 30000 + r, 31000 + r)],
      };
  }
}
