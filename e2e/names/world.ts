// The cluster of the tests of host names, and a policy that allows its pods some names and nothing else.

import type { KubernetesObject } from "../../test/kube/api.ts";
import * as kube from "../../test/kube/objects.ts";

export const facts: readonly KubernetesObject[] = [
  kube.namespace("a"),
  kube.node("n1", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24", "fd00::/64"] }),
  kube.pod("a", "web", { node: "n1", labels: { app: "web" }, ips: ["10.0.0.1", "fd00::1"] }),
];

/** A rule for each list of names. */
export function allowing(...rules: readonly (readonly string[])[]): KubernetesObject {
  return kube.clusterPolicy("p", {
    ...{ tier: "Admin", priority: 1, subject: { namespaces: {} } },
    egress: [
      ...rules.map((domainNames) => ({ action: "Accept", to: [{ domainNames }] })),
      { action: "Deny", to: [{ networks: ["0.0.0.0/0", "::/0"] }] },
    ],
  });
}
