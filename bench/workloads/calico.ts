// Workload W1-calico: the policies of Calico over W1's cluster, in four tiers of their own. Of five rules one has a lone
// notSelector and one has notNets; the peers of the others are namespaces, as W1's are. Actions rotate Allow, Deny, Pass, but in
// the third tier, which has no tier of OVN to pass to.

import type { PolicyObject, ReferencedObject } from "../../src/model/object.ts";
import { calicoTier, gnp } from "../../test/support/calico.ts";
import type { Workload } from "./catalogue.ts";
import { appLabel, tenantLabel } from "./world.ts";

const tierCount = 4;
const tierName = (at: number): string => `tier-${at}`;
const actions = ["Allow", "Deny", "Pass"] as const;
const withoutPass = ["Allow", "Deny"] as const;

/** What they end with is Calico's default, Deny. */
export function calicoTiers({ kind }: Workload): readonly ReferencedObject[] {
  if (kind !== "calico") return [];
  return Array.from({ length: tierCount }, (_, at) => calicoTier(tierName(at), { order: 100 * (at + 1) }));
}

/** Policy i; equally many in each tier, as far as that is possible. */
export function calicoPolicy(i: number, workload: Workload, name: string, order: number): PolicyObject {
  const at = Math.floor(((i % workload.policies) * tierCount) / workload.policies);
  const rotated: readonly string[] = at === 2 ? withoutPass : actions;
  const rules = Array.from({ length: workload.rules }, (_, r) => r);
  return gnp(name, {
    tier: tierName(at),
    order,
    namespaceSelector: `tenant == '${tenantLabel(i, workload.tenants)}'`,
    types: ["Ingress", "Egress"],
    ingress: rules.map((r) => ({
      action: rotated[r % rotated.length],
      protocol: "TCP",
      source: peersOf(i, r, [i + r, i + r + 3], workload),
      destination: { ports: portsOf(r) },
    })),
    egress: rules.map((r) => ({
      action: rotated[r % rotated.length],
      protocol: "TCP",
      destination: { ...peersOf(i, r, [i + 2 * r + 1, i + 2 * r + 5], workload), ports: portsOf(r) },
    })),
  });
}

const portsOf = (r: number): readonly number[] => [8000 + r, 9000 + r];

function peersOf(i: number, r: number, peers: readonly number[], { tenants }: Workload): object {
  switch (r % 5) {
    case 3:
      return { notSelector: `app == '${appLabel(i + r)}'` };
    case 4:
      return { notNets: [`10.128.${r}.0/24`, `203.0.${r}.0/24`] };
    default:
      return { namespaceSelector: `tenant in {${peers.map((t) => `'${tenantLabel(t, tenants)}'`).join()}}` };
  }
}
