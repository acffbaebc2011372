// The judge of Calico's manifests among the judges of packets, and the words in which what others say is compared with it: who
// decided on each side. Passes are not compared, since some need no row; nor which policy's deny stands at a tier's end.

import type { NodeFact } from "../../../src/model/facts.ts";
import type { Connection, End, Step } from "../../../src/policy/evaluate.ts";
import type { HitAcl } from "../../../tools/sandbox/acls-of-flows.ts";
import type { CalicoConnection, Direction } from "../../oracle/calico/connection.ts";
import { protocolNumbers } from "../../oracle/calico/endpoints.ts";
import { familyOfText } from "../../oracle/calico/addresses.ts";
import type { Manifest } from "../../oracle/calico/manifests.ts";
import type { CalicoDecision, CalicoStep } from "../../oracle/calico/judge.ts";
import { CalicoJudge } from "../../oracle/calico/judge.ts";
import type { Meaning, Words } from "../judges.ts";

/** A node's way to its own pods, which no policy takes away. */
const ownNodeWay = "the pod's own node is let in";
const endText = (direction: string) => `the end of a tier denies ${direction}`;
/** NetworkPolicies of Kubernetes only allow: which of them does makes no difference. */
export const netpolText = (direction: string) => `a NetworkPolicy allows ${direction}`;
export const ruleText = (
  owner: string,
  name: string,
  direction: string,
  index: number | string,
  action: string,
) => `${owner}/${name} ${direction} ${index} ${action}`;

export const ownerTypes: Readonly<Record<string, string>> = {
  "projectcalico.org/NetworkPolicy": "CalicoNetworkPolicy",
  "projectcalico.org/GlobalNetworkPolicy": "CalicoGlobalNetworkPolicy",
  "policy.networking.k8s.io/ClusterNetworkPolicy": "ClusterNetworkPolicy",
};
const netpolOwners: ReadonlySet<string> = new Set(["NetworkPolicy", "NetpolNamespace"]);
const ownNodeOwners: ReadonlySet<string> = new Set(["NorthgateNode", "NorthgateNodeFirst"]);

/** `zone`: as in Hearing. */
export function calicoMeaning(
  { manifests, nodes }: { readonly manifests: readonly Manifest[]; readonly nodes: readonly NodeFact[] },
  zone: string | null = null,
): Meaning {
  const judge = new CalicoJudge(manifests);
  const own = new Map(nodes.map(({ name, ips, managementIps = [] }) => [name, [...ips, ...managementIps]]));
  const isOwnNode = ({ from, to }: Connection) => own.get(to.pod?.node ?? "")?.includes(from.ip) === true;
  const isHeard = ({ pod }: End) => pod !== null && (zone === null || pod.node === zone);
  return {
    opinion: (connection) => {
      const { egress, ingress } = judge.judge(asCalico(connection));
      const rules: string[] = [];
      if (isHeard(connection.from)) {
        rules.push(...deciders(egress));
        if (egress.verdict === "deny") return { verdict: "drop", rules };
      }
      if (!isHeard(connection.to)) return { verdict: "allow", rules };
      if (isOwnNode(connection)) return { verdict: "allow", rules: [...rules, ownNodeWay] };
      return {
        verdict: ingress.verdict === "deny" ? "drop" : "allow",
        rules: [...rules, ...deciders(ingress)],
      };
    },
  };
}

function asCalico({ from, to, protocol, port, sourcePort, icmp }: Connection): CalicoConnection {
  const ends = { from: endOf(from), to: endOf(to) };
  const none = { port: null, sourcePort: null, icmp: null };
  if (typeof protocol === "number") return { ...ends, ...none, protocol };
  if (protocol === "icmp") {
    const [number, echo] = familyOfText(to.ip) === 4 ? [1, 8] : [58, 128];
    return { ...ends, ...none, protocol: number, icmp: icmp ?? { type: echo, code: 0 } };
  }
  if (sourcePort === undefined) throw new Error("a packet of these worlds tells its source port");
  return { ...ends, ...none, protocol: protocolNumbers[protocol.toUpperCase()] ?? 0, port, sourcePort };
}

function endOf({ ip, pod }: End): CalicoConnection["from"] {
  return { ip, pod: pod === null ? null : { namespace: pod.namespace, name: pod.name } };
}

function deciders({ steps }: CalicoDecision): readonly string[] {
  return steps.flatMap((step) => textOf(step) ?? []);
}

function textOf({ direction, rule, action }: CalicoStep): string | null {
  if (action === "Pass") return null;
  if (rule === null) return endText(direction);
  const { group, kind, namespace, name } = rule.policy;
  const owner = ownerTypes[`${group}/${kind}`];
  if (owner === undefined) return netpolText(direction);
  return ruleText(owner, nameOf(namespace, name), direction, rule.index, action.toLowerCase());
}

export function nameOf(namespace: string | null, name: string): string {
  return namespace === null ? name : `${namespace}:${name}`;
}

export const calicoWords: Words = {
  ofStep: ({ policy, direction, rule }: Step) => {
    const { ownerType, ref } = policy;
    if (rule === null) return endText(direction);
    if (rule.action === "pass") return null;
    return decision(ownerType, nameOf(ref.namespace, ref.name), direction, rule.index, rule.action);
  },
  ofAcl: ({ externalIds, action, direction: side }: HitAcl) => {
    const id = (key: string) => externalIds.get(key) ?? "?";
    const direction = side === "from-lport" ? "egress" : "ingress";
    if (action === "pass") return null;
    const isDeny = action === "drop";
    const [owner, index] = [id("k8s.ovn.org/owner-type"), id("gress-index")];
    if (isDeny && (index === "default" || netpolOwners.has(owner))) return endText(direction);
    return decision(owner, id("k8s.ovn.org/name"), direction, index, isDeny ? "deny" : "allow");
  },
};

function decision(
  owner: string,
  name: string,
  direction: Direction,
  index: number | string,
  action: string,
): string {
  if (ownNodeOwners.has(owner)) return ownNodeWay;
  if (netpolOwners.has(owner)) return netpolText(direction);
  return ruleText(owner, name, direction, index, action);
}
