// What is outside the networks of a cluster may be reached, and may reach pods, whatever policies say: --ip-range of a packet filter,
// expressed as a policy before every other one. Nobody writes such an object. Pure.

import type { Cidr, IpFamily } from "../model/ip.ts";
import { familyOf, ipFamilies, parseCidr } from "../model/ip.ts";
import type { ObjectKey } from "../model/object.ts";
import { kindText, kindTextOf } from "../model/object.ts";
import { everything } from "../model/selector.ts";
import type { Peer, Policy, Rule } from "./ir.ts";
import { policyKey, tiers } from "./ir.ts";
import { firstPriority, isOwnNode } from "./own-node.ts";

/** Of no API. */
const kind = { group: "", kind: "NorthgateOutside" } as const;
/** Of what a network plugin does by itself, as commands that ask have it (src/cni/). */
export const pluginKind = { group: "", kind: "CNI" } as const;

/** Whether Northgate has made the policy: no object is behind it. */
export function isOwnPolicy(key: ObjectKey): boolean {
  return isNodeWay(key) || kindTextOf(key) === kindText(kind);
}

/** Whether it is a way of a node to its own pods: of Northgate's rows, or of a network plugin. */
export function isNodeWay(key: ObjectKey): boolean {
  return isOwnNode(key) || isPluginPolicy(key);
}

export function isPluginPolicy(key: ObjectKey): boolean {
  return kindTextOf(key) === kindText(pluginKind);
}

/** `inside`: the networks of the cluster. A family without any has nothing outside; null: no family has. */
export function outsidePolicy(inside: readonly Cidr[]): Policy | null {
  const peers = ipFamilies.flatMap((family) => outsideOf(family, inside));
  if (peers.length === 0) return null;
  const ref = { ...kind, namespace: null, name: "ip-range" };
  const rule: Rule = {
    ...{ index: 0, name: "outside --ip-range", action: "allow", share: null, subject: null },
    ...{ peers, ports: null, logging: null },
  };
  return {
    ...{ key: policyKey(ref), ref, ownerType: kind.kind, shortKind: "OUTSIDE" },
    ...{ tier: tiers.admin, priority: firstPriority - 1 },
    logging: { allow: null, deny: null, pass: null, reject: null },
    subject: [{ kind: "pods", namespaces: everything, pods: everything }],
    rules: { ingress: [rule], egress: [rule] },
    unmatched: { ingress: "next", egress: "next" },
  };
}

const all: Readonly<Record<IpFamily, string>> = { v4: "0.0.0.0/0", v6: "::/0" };

function outsideOf(family: IpFamily, inside: readonly Cidr[]): readonly Peer[] {
  const except = inside.filter((cidr) => familyOf(cidr) === family);
  const cidr = parseCidr(all[family]);
  return except.length === 0 || cidr === null ? [] : [{ kind: "network", cidr, except }];
}
