// The cluster of `make bench W=names`: ten pods on one node, and policies that allow them names, and nothing else beside a network.

import { node, pod } from "../../test/support/facts.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import * as kube from "../../test/kube/objects.ts";
import { range } from "../northd/forms.ts";

const podCount = 10;
/** As many as a peer takes. */
const namesOfRule = 25;
const zone = "bench.example";
const addressOf = (at: number) => `10.0.0.${at + 2}`;

export const nameOf = (at: number): string => `n${at}.${zone}`;
export const wildcard = `*.${zone}`;

/** For the Northbound database. */
export const facts = {
  pods: range(podCount).map((at) => pod("a", `p${at}`, { node: "n1", ips: [addressOf(at)] })),
  nodes: [node("n1", {}, ["192.0.2.1"])],
};

/** For the program: each policy allows one rule of names. */
export function objects(names: readonly string[]): readonly KubernetesObject[] {
  const chunks = range(Math.ceil(names.length / namesOfRule)).map((at) =>
    names.slice(at * namesOfRule, (at + 1) * namesOfRule),
  );
  return [
    kube.namespace("a"),
    kube.node("n1", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24"] }),
    ...range(podCount).map((at) => kube.pod("a", `p${at}`, { node: "n1", ips: [addressOf(at)] })),
    ...chunks.map((domainNames, priority) => {
      const rule = {
        action: "Accept",
        to: [{ domainNames }],
        protocols: [{ tcp: { destinationPort: { number: 443 } } }],
      };
      return kube.clusterPolicy(`names-${priority}`, {
        ...{ tier: "Admin", priority, subject: { namespaces: {} }, egress: [rule] },
      });
    }),
    kube.clusterPolicy("nothing-else", {
      ...{ tier: "Admin", priority: 1_000, subject: { namespaces: {} } },
      egress: [{ action: "Deny", to: [{ networks: ["0.0.0.0/0"] }] }],
    }),
  ];
}
