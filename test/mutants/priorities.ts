// Mistakes in who decides: tiers, priorities, directions and actions of rows.

import type { Listed } from "./list.ts";

export const priorities: readonly Listed[] = [
  {
    name: "policies-in-reverse",
    file: "src/nbdb/ranking/ranking.ts",
    was: "top - (priority - first) * step",
    becomes: "top - (99 - (priority - first)) * step",
    harm: "the policy with the highest number decides first",
  },
  {
    name: "rules-in-reverse",
    file: "src/nbdb/ranking/ranking.ts",
    was: "start - ruleIndex",
    becomes: "start + ruleIndex",
    harm: "the last rule of a policy decides first, and long policies reach into the one before",
  },
  {
    name: "two-policies-share-a-band",
    file: "src/nbdb/ranking/ranking.ts",
    was: "(priority - first) * step",
    becomes: "Math.floor((priority - first) / 2) * step",
    harm: "policies of neighbouring priorities decide by the order of their rules",
  },
  {
    name: "layout-half-as-wide",
    file: "src/nbdb/ranking/ranking.ts",
    was: "(priority - first) * step",
    becomes: "(priority - first) * (step / 2)",
    harm: "the fifty-first rule of a policy comes behind the first of the next policy",
  },
  {
    name: "baseline-in-tier-two",
    file: "src/nbdb/ranking/layout.ts",
    was: "const baseline: OvnTier = {\n  tier: 3,",
    becomes: "const baseline: OvnTier = {\n  tier: 2,",
    harm: "the baseline stands among the NetworkPolicies that it should come behind",
  },
  {
    name: "pass-written-as-allow",
    file: "src/nbdb/rows/acl.ts",
    was: 'return "pass";',
    becomes: 'return "allow-related";',
    harm: "what was to be left to later tiers is allowed for good",
  },
  {
    name: "allow-without-its-answers",
    file: "src/nbdb/rows/acl.ts",
    was: 'return "allow-related";',
    becomes: 'return "allow-stateless";',
    harm: "answers to an allowed connection are dropped by the next deny",
  },
  {
    name: "deny-answers",
    file: "src/nbdb/rows/acl.ts",
    was: 'return "drop";',
    becomes: 'return "reject";',
    harm: "a denied client is told so, which shows it that something is there",
  },
  {
    name: "directions-swapped",
    file: "src/nbdb/rows/acl.ts",
    was: 'direction === "ingress" ? "to-lport" : "from-lport"',
    becomes: 'direction === "ingress" ? "from-lport" : "to-lport"',
    harm: "every rule is asked at the other end of the switch",
  },
  {
    name: "egress-before-load-balancing",
    file: "src/nbdb/rows/acl.ts",
    was: 'direction === "ingress" ? noOptions : egressOptions',
    becomes: "noOptions",
    harm: "egress rules see the address of a Service and not of the pod behind it",
  },
  {
    name: "ranked-policies-in-reverse",
    file: "src/nbdb/ranking/sequence.ts",
    was: "a.priority - b.priority",
    becomes: "b.priority - a.priority",
    harm: "where places follow from the order, the policy with the highest number decides first",
  },
  {
    name: "nobody-makes-room",
    file: "src/nbdb/ranking/ranking.ts",
    was: 'const moved = segment.scheme === "ranked" ? this.#rank(segment) : this.#settle([policy], segment);',
    becomes: "const moved = this.#settle([policy], segment);",
    harm: "a policy that comes between others stands where one of them stands",
  },
  {
    name: "default-deny-before-the-rules",
    file: "src/nbdb/ranking/layout.ts",
    was: "[tiers.namespaced.order, 1000]",
    becomes: "[tiers.namespaced.order, 1002]",
    harm: "an isolated pod is reached by nobody, whatever its rules allow",
  },
  {
    name: "a-pass-skips-a-tier",
    file: "src/nbdb/ranking/tier-use.ts",
    was: "shares(order) && order < tier.order",
    becomes: "shares(order) && order > tier.order",
    harm: "what a policy passes skips the policies of another tier that share its OVN tier",
  },
];
