// Mistakes in what Calico's policies are taken to say: selectors, sides of a rule, Services, types, and the end of a tier.

import type { Listed } from "./list.ts";

export const calico: readonly Listed[] = [
  {
    name: "two-negations-are-one",
    file: "src/calico/selector/parse.ts",
    was: "isNegated = !isNegated;",
    becomes: "isNegated = true;",
    harm: "a selector under two negations selects all but what it says",
  },
  {
    name: "not-in-selects-what-is-in",
    file: "src/calico/selector/parse.ts",
    was: 'operator: token.operator === "in" ? "In" : "NotIn"',
    becomes: 'operator: "In"',
    harm: "`not in` selects what has one of the values",
  },
  {
    name: "closed-deny-denies-nothing",
    file: "src/calico/rules/rules.ts",
    was: 'action: "deny", peers: everyPeer',
    becomes: 'action: "deny", peers: []',
    harm: "a Deny with a part that is not known denies nothing",
  },
  {
    name: "not-nets-beside-nets-left-out",
    file: "src/calico/ends/nets.ts",
    was: "return { networks: distinct(nets), except: distinct(notNets) };",
    becomes: "return { networks: distinct(nets), except: [] };",
    harm: "a rule also matches the exceptions from its networks",
  },
  {
    name: "sets-are-outside-of-a-selector",
    file: "src/calico/rules/peers.ts",
    was: 'kind: "others", pods: others.pods, networks, except }',
    becomes: 'kind: "others", pods: others.pods, networks, except: within?.except ?? [] }',
    harm: "a lone notSelector matches the networks of the sets that it selects",
  },
  {
    name: "service-at-any-port",
    file: "src/calico/rules/peers.ts",
    was: "peers, ports: left }",
    becomes: "peers, ports }",
    harm: "a rule to a Service is about every port of its endpoints",
  },
  {
    name: "tier-that-never-denies",
    file: "src/calico/place/tier.ts",
    was: 'unmatched: passes ? "next" : "deny"',
    becomes: 'unmatched: "next"',
    harm: "a tier without a defaultAction lets through what its policies do not mention",
  },
  {
    name: "types-of-every-policy-are-both",
    file: "src/calico/types.ts",
    was: 'if (egress !== true) return ["ingress"];',
    becomes: "if (egress !== true) return directions;",
    harm: "a policy with ingress rules alone cuts its pods off from everything that they ask for",
  },
  {
    name: "peers-of-every-namespace",
    file: "src/calico/ends/selection.ts",
    was: "return namespace === null ? everything : namespacesNamed([namespace]);",
    becomes: "return everything;",
    harm: "a NetworkPolicy's selector also selects pods of other namespaces",
  },
  {
    name: "stored-labels-are-those-of-a-set",
    file: "src/calico/stored.ts",
    was: 'labels: together(metadata.at("labels"), written.labels),',
    becomes: 'labels: metadata.at("labels").raw,',
    harm: "a network set that Calico stores has no labels, and a Deny by them is open",
  },
];
