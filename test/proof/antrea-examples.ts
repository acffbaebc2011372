// What Antrea's document shows, feature by feature, and which of examples/antrea/ says the same in words of its own; of
// each example what is told of it and who decides what. Those of `features` are told nothing of.

import { closed } from "./antrea-examples-closed.ts";
import type { Example } from "./example.ts";
import { ends } from "./example.ts";

const { blue, worker, green, greenDb, red, yellow, yellowDb, visitor } = ends;
const builder = "red/builder";

const exact: readonly Example[] = [
  {
    file: "features/selectors.yaml",
    covers: ["stand-alone selectors", "to and from selectors", "rules in the order written"],
    verdicts: [
      `${green} > ${greenDb} tcp 5432: allow, databases ingress[0]`,
      `${worker} > ${greenDb} tcp 5432: allow, databases ingress[0]`,
      `${visitor} > ${greenDb} tcp 5432: drop, databases ingress[1]`,
      `${green} > ${greenDb} tcp 5433: drop, databases ingress[1]`,
      `${worker} > ${blue} tcp 8100: allow, databases ingress[0]`,
      `${worker} > ${blue} tcp 8101: drop, databases ingress[1]`,
      `${visitor} > ${red} tcp 80: allow`,
      `${greenDb} > 198.51.100.9 tcp 25: drop, databases egress[0]`,
      `${greenDb} > 198.51.100.9 tcp 26: allow`,
      `${red} > 198.51.100.9 tcp 25: allow`,
    ],
  },
  {
    file: "features/cluster-groups.yaml",
    covers: ["ClusterGroup reference", "ClusterGroup of selectors", "ClusterGroup of ipBlocks"],
    verdicts: [
      `${red} > ${greenDb} tcp 5432: allow, shared-names ingress[0]`,
      `${visitor} > ${greenDb} tcp 5432: drop, shared-names ingress[1]`,
      `${visitor} > ${green} tcp 5432: allow`,
      `${yellowDb} > 203.0.113.1 udp 53: drop, shared-names egress[0]`,
      `${yellowDb} > 192.0.2.128 udp 53: allow`,
    ],
  },
  {
    file: "features/services.yaml",
    covers: ["ClusterGroup of a serviceReference", "ClusterGroup of childGroups"],
    verdicts: [
      `${yellow} > ${yellowDb} tcp 5432: allow, storage ingress[0]`,
      `${green} > ${yellowDb} tcp 5432: drop, storage ingress[1]`,
      `${blue} > ${worker} tcp 80: drop, storage ingress[1]`,
      `${green} > ${greenDb} tcp 5432: allow`,
    ],
  },
  {
    file: "features/to-services.yaml",
    covers: ["toServices"],
    verdicts: [
      `${green} > ${yellowDb} tcp 5432 through 10.96.0.9 80: allow, by-service egress[0]`,
      `${green} > ${yellowDb} tcp 5432: drop, by-service egress[1]`,
      `${green} > ${yellowDb} tcp 80 through 10.96.0.10 80: drop, by-service egress[1]`,
      `${red} > ${yellowDb} tcp 5432 through 10.96.0.9 80: drop, not-that-service egress[0]`,
      `${red} > ${yellowDb} tcp 5432: allow`,
      `${red} > ${green} tcp 80 through 10.96.0.10 80: allow`,
    ],
  },
  {
    file: "features/isolation.yaml",
    covers: ["complete Pod isolation"],
    verdicts: [
      `${yellow} > ${yellowDb} tcp 5432: drop, quarantine egress[0]`,
      `${red} > ${yellow} icmp 0: drop, quarantine ingress[0]`,
      `${yellow} > 192.0.2.7 udp 53: drop, quarantine egress[0]`,
      `${red} > ${green} tcp 80: allow`,
    ],
  },
  {
    file: "features/strict-namespaces.yaml",
    covers: ["strict Namespace isolation", "Pass"],
    verdicts: [
      `${green} > ${greenDb} tcp 5432: allow, walls egress[0], walls ingress[0]`,
      `${worker} > ${blue} tcp 80: drop, walls egress[1]`,
      `${red} > ${green} tcp 80: drop, walls ingress[1]`,
      `${green} > ${red} tcp 80: drop, walls egress[1]`,
      `${green} > 192.0.2.7 tcp 443: allow`,
    ],
  },
  {
    file: "features/zero-trust.yaml",
    covers: ["default zero-trust", "the tier baseline behind K8s NetworkPolicies"],
    verdicts: [
      `${green} > ${greenDb} tcp 5432: allow, db ingress[0]`,
      `${visitor} > ${greenDb} tcp 5432: drop, db ingress`,
      `${green} > ${yellow} tcp 80: drop, closed-unless-said ingress[0]`,
      `${green} > 192.0.2.7 tcp 443: allow`,
    ],
  },
  {
    file: "features/icmp.yaml",
    covers: ["ICMP traffic", "Reject"],
    verdicts: [
      `${green} > ${visitor} icmp 0: drop, no-ping egress[0]`,
      `${visitor} > ${green} icmp 0: allow`,
      `${green} > ${visitor} tcp 80: allow`,
    ],
  },
  {
    file: "features/igmp.yaml",
    covers: ["IGMP reports of every type"],
    verdicts: [
      `${red} > 233.252.0.7 2 0: drop, no-join egress[0]`,
      `${red} > 192.0.2.7 2 0: allow`,
      `${red} > ${green} udp 80: allow`,
    ],
  },
  {
    file: "features/multicast.yaml",
    covers: ["multicast egress traffic"],
    verdicts: [
      `${red} > 233.252.0.7 udp 5000: drop, no-stream egress[0]`,
      `${red} > 192.0.2.7 udp 5000: allow`,
    ],
  },
  {
    file: "features/logging.yaml",
    covers: ["log settings", "names of rules"],
    verdicts: [
      `${visitor} > ${green} tcp 80: allow, visitors-told ingress[0]`,
      `${visitor} > ${greenDb} tcp 80: allow`,
    ],
  },
  {
    file: "features/applied-to-in-rules.yaml",
    covers: ["appliedTo per rule", "rules without a name"],
    verdicts: [
      `${yellow} > ${green} tcp 80: drop, rivals ingress[0]`,
      `${blue} > ${red} tcp 80: drop, rivals ingress[1]`,
      `${yellow} > ${red} tcp 80: allow`,
      `${blue} > ${green} tcp 80: allow`,
    ],
  },
  {
    file: "features/namespaced.yaml",
    covers: ["Antrea NetworkPolicy", "podSelector of the policy's own Namespace"],
    verdicts: [
      `${yellow} > ${yellowDb} tcp 5432: allow, database ingress[0]`,
      `${worker} > ${yellowDb} tcp 5432: allow, database ingress[0]`,
      `${green} > ${yellowDb} tcp 5432: drop, database ingress[1]`,
      `${yellow} > ${yellowDb} tcp 5433: drop, database ingress[1]`,
      `${yellowDb} > 198.51.100.9 tcp 80: drop, database egress[0]`,
      `${yellowDb} > 198.51.100.65 tcp 80: allow`,
      `${greenDb} > 198.51.100.9 tcp 80: allow`,
    ],
  },
  {
    file: "features/groups.yaml",
    covers: [
      "Antrea NetworkPolicy with Group reference",
      "Group of selectors",
      "Group with a namespaceSelector, as a peer",
      "Group of ipBlocks",
      "Group of a serviceReference",
      "Group of childGroups",
    ],
    verdicts: [
      `${yellow} > ${yellowDb} tcp 9: allow, database ingress[0]`,
      `${worker} > ${yellowDb} tcp 9: allow, database ingress[0]`,
      `${green} > ${yellowDb} tcp 9: drop, database ingress[1]`,
      `${yellowDb} > 198.51.100.65 tcp 80: drop, database egress[0]`,
      `${green} > ${greenDb} tcp 9: allow`,
    ],
  },
  {
    file: "features/order.yaml",
    covers: ["ordering by Tier priority", "ordering by policy priority", "ordering by rule"],
    verdicts: [
      `${blue} > ${green} tcp 443: allow, c-early ingress[0]`,
      `${red} > ${green} tcp 80: allow, b-middle ingress[0]`,
      `${blue} > ${green} tcp 80: drop, b-middle ingress[1]`,
      `${visitor} > ${green} tcp 80: allow, a-late ingress[0]`,
    ],
  },
  {
    file: "features/namespace-by-name.yaml",
    covers: ["Namespace by name"],
    verdicts: [
      `${visitor} > names/dns udp 53: allow, names egress[0]`,
      `${visitor} > names/dns udp 54: drop, names egress[1]`,
      `${visitor} > ${green} udp 53: drop, names egress[1]`,
      `${green} > ${red} udp 53: allow`,
    ],
  },
  {
    file: "features/self.yaml",
    covers: ["Self", "Self with a podSelector", "appliedTo with both selectors"],
    verdicts: [
      `${green} > ${greenDb} tcp 5432: drop, no-web-to-db ingress[0]`,
      `${greenDb} > ${green} tcp 80: allow, own-namespace ingress[0]`,
      `${red} > ${greenDb} tcp 5432: drop, own-namespace ingress[1]`,
      `${worker} > ${blue} tcp 80: drop, own-namespace ingress[1]`,
    ],
  },
  {
    file: "features/same-labels.yaml",
    covers: ["sameLabels of one label", "sameLabels of labels that no Namespace has"],
    verdicts: [
      `${worker} > ${blue} tcp 80: allow, tenants-apart ingress[0]`,
      `${red} > ${blue} tcp 80: drop, tenants-apart ingress[1]`,
      // The document calls the policy a no-op there; its code and its tests let the next rule decide.
      `${red} > ${visitor} tcp 80: drop, tenants-apart ingress[1]`,
      `203.0.113.9 > ${visitor} tcp 80: allow`,
    ],
  },
  {
    file: "features/nodes.yaml",
    covers: ["Node Selector"],
    verdicts: [
      `${visitor} > 172.18.0.4 tcp 6443: drop, no-api egress[0]`,
      `${visitor} > 172.18.0.2 tcp 6444: allow`,
      `${visitor} > 172.18.0.9 tcp 6443: allow`,
      `${green} > 172.18.0.4 tcp 6443: allow`,
    ],
  },
  {
    file: "features/service-accounts.yaml",
    covers: ["ServiceAccount based selection"],
    verdicts: [
      `${builder} > ${greenDb} tcp 5432: drop, builders egress[0]`,
      `${red} > ${greenDb} tcp 5432: allow`,
      `${builder} > ${yellowDb} tcp 5432: allow`,
    ],
  },
  {
    file: "features/tiers.yaml",
    covers: ["Tier", "static tiers", "older spellings of static tiers"],
    verdicts: [
      `${visitor} > ${greenDb} tcp 80: drop, audited ingress[0]`,
      `${green} > ${greenDb} tcp 80: allow, open ingress[0]`,
    ],
  },
];

export const examples: readonly Example[] = [...exact, ...closed];
