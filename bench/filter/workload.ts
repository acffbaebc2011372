// What a node is to enforce: NetworkPolicies of many namespaces, a policy of twenty rules, and policies whose sets one pod is in.

import type { IpAddress } from "../../src/model/ip.ts";
import { namespacesNamed } from "../../src/model/selectable.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import { contractPolicy, rulesOf } from "../../test/backend/policies.ts";
import { namespace, node, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import type { FedGroups } from "../../test/support/fed-groups.ts";

/** The node. */
export const own = "n";

export interface Size {
  readonly namespaces: number;
  /** Labels of pods in each namespace. */
  readonly labels: number;
  /** NetworkPolicies, of the namespaces in turn. */
  readonly policies: number;
  readonly pods: number;
}

/** About 5,000 rules and 500 sets a family, and about 7,500 and 2,000. */
export const sizes: readonly Size[] = [
  { namespaces: 66, labels: 5, policies: 660, pods: 3300 },
  { namespaces: 250, labels: 8, policies: 1000, pods: 5000 },
];

/** Policies whose sets one pod is in. */
export const wideCount = 120;

const named = (name: string) => namespacesNamed([name]);
const labelled = (app: string) => withLabels({ app });
const labelledPods = (app: string) => podGroup(withLabels({}), labelled(app));

/** Four rules, and isolation. */
export function small({ namespaces, labels }: Size, at: number): Policy {
  const name = `ns${at % namespaces}`;
  const turn = Math.floor(at / namespaces);
  const group = (rule: number) => podGroup(named(name), labelled(`a${(turn + rule) % labels}`));
  return contractPolicy({
    ...{ name: `p${at}`, namespace: name, tier: tiers.namespaced },
    subject: [group(0)],
    unmatched: { ingress: "deny", egress: "next" },
    rules: {
      ingress: rulesOf(
        ...[0, 1, 2, 3].map((rule) => ({
          action: "allow" as const,
          peers: [group(rule)],
          ports: [{ kind: "port" as const, protocol: "tcp" as const, port: 80 + rule }],
        })),
      ),
    },
  });
}

/** Twenty rules, from this port on. */
export function large(port: number): Policy {
  const ports = (rule: number) => [{ kind: "port", protocol: "tcp", port: port + rule } as const];
  const rules = Array.from({ length: 20 }, (_, rule) => ({ peers: [labelledPods("z")], ports: ports(rule) }));
  return contractPolicy({
    name: "large",
    subject: [labelledPods("a1")],
    rules: { ingress: rulesOf(...rules) },
  });
}

/** A pod with the labels of `wideLabels` is in the set of each. */
export function wide(at: number): Policy {
  return contractPolicy({
    ...{ name: `wide${at}`, priority: at, subject: [labelledPods("a2")] },
    rules: {
      ingress: rulesOf({ peers: [podGroup(withLabels({}), withLabels({ wide: "yes", [`w${at}`]: "yes" }))] }),
    },
  });
}

export const wideLabels: Readonly<Record<string, string>> = {
  wide: "yes",
  ...Object.fromEntries(Array.from({ length: wideCount }, (_, at) => [`w${at}`, "yes"])),
};

/** The cluster. */
export function see(groups: FedGroups, { namespaces, labels, pods }: Size): void {
  groups.setNode(node(own, {}, ["172.18.0.2"]));
  for (let at = 0; at < namespaces; at++) groups.setNamespace(namespace(`ns${at}`));
  for (let at = 0; at < pods; at++) {
    const ips = [`10.${Math.floor(at / 250)}.0.${(at % 250) + 1}`] as IpAddress[];
    const app = `a${Math.floor(at / namespaces) % labels}`;
    const place = at % 50 === 0 ? own : "m";
    groups.setPod(pod(`ns${at % namespaces}`, `q${at}`, { node: place, labels: { app }, ips }));
  }
}
