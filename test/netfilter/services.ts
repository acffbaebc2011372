// Services in front of a pod of a test node, as kube-proxy writes them, in short.

import type { RealFilter } from "./tools.ts";

/** The addresses of each family's Service. */
export const virtual = { v4: "10.96.0.1", v6: "fd96::1" } as const;

/** Adds a Service of each family, whose endpoint the first pod is, or the second. */
export function serve(filter: RealFilter, endpoint: 1 | 2): void {
  filter.restore("iptables", natText(virtual.v4, `10.0.0.${endpoint}`));
  filter.restore("ip6tables", natText(virtual.v6, `fd00::${endpoint}`));
}

function natText(address: string, endpoint: string): string {
  return `*nat
-A PREROUTING -d ${address} -j DNAT --to-destination ${endpoint}
-A POSTROUTING -s ${endpoint} -d ${endpoint} -j MASQUERADE
COMMIT
`;
}
