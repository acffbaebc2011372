// Services as NAT rules of a node, as kube-proxy's iptables mode has them, in short: a virtual address becomes that of an endpoint, one
// of several at random, before FORWARD is asked. What a pod sends to itself through a Service gets the node as its source, or the pod
// would answer itself past the node.

import type { Balancer } from "./balancers.ts";

/** Chains of the stand-in's own, not of the program that is judged. */
const chain = "STAND-IN-SERVICES";
const hairpins = "STAND-IN-HAIRPINS";

/** For `iptables-restore --noflush`, once, before the first `servicesText`. */
export const servicesHooks = `*nat
:${chain} - [0:0]
:${hairpins} - [0:0]
-A POSTROUTING -j ${hairpins}
-A PREROUTING -j ${chain}
-A OUTPUT -j ${chain}
COMMIT
`;

/** For `iptables-restore --noflush`: these Services of the family and no others. */
export function servicesText(balancers: readonly Balancer[], isIpv6: boolean): string {
  const rules = balancers.flatMap(({ protocol, vips }) =>
    Object.entries(vips).flatMap(([vip, endpoints]) => {
      const [address, port] = partsOf(vip);
      if (address.includes(":") !== isIpv6) return [];
      const match = `-A ${chain} -d ${address} -p ${protocol} -m ${protocol} --dport ${port}`;
      return endpoints.map((endpoint, at) => {
        const left = endpoints.length - at;
        const share = left === 1 ? "" : ` -m statistic --mode random --probability ${(1 / left).toFixed(8)}`;
        return `${match}${share} -j DNAT --to-destination ${endpoint}`;
      });
    }),
  );
  const endpoints = balancers.flatMap(({ vips }) =>
    Object.values(vips)
      .flat()
      .map((one) => partsOf(one)[0]),
  );
  const ofFamily = [...new Set(endpoints)].filter((ip) => ip.includes(":") === isIpv6);
  const masquerades = ofFamily.map((ip) => `-A ${hairpins} -s ${ip} -d ${ip} -j MASQUERADE`);
  const declared = [chain, hairpins].map((name) => `:${name} - [0:0]`);
  return ["*nat", ...declared, ...rules, ...masquerades, "COMMIT", ""].join("\n");
}

/** "address:port", an IPv6 address in brackets. */
function partsOf(place: string): readonly [address: string, port: string] {
  const at = place.lastIndexOf(":");
  return [place.slice(0, at).replace(/^\[|\]$/g, ""), place.slice(at + 1)];
}
