// Mistakes in who decides: tiers, priorities, directions and actions of rows.

import type { Listed } from "./list.ts";

export const priorities: readonly Listed[] = [
  {
    name: "policies-in-reverse",
    file: "src/nbdb/rows/priorities.ts",
    was: "band.start - policy.priority * band.step",
    becomes: "band.start - (band.last - policy.priority) * band.step",
    harm: "the policy with the highest number decides first",
  },
  {
    name: "rules-in-reverse",
    file: "src/nbdb/rows/priorities.ts",
    was: "* band.step - ruleIndex",
    becomes: "* band.step + ruleIndex",
    harm: "the last rule of a policy decides first, and long policies reach into the one before",
  },
  {
    name: "two-policies-share-a-band",
    file: "src/nbdb/rows/priorities.ts",
    was: "policy.priority * band.step",
    becomes: "Math.floor(policy.priority / 2) * band.step",
    harm: "policies of neighbouring priorities decide by the order of their rules",
  },
  {
    name: "layout-half-as-wide",
    file: "src/nbdb/rows/priorities.ts",
    was: "policy.priority * band.step",
    becomes: "policy.priority * (band.step / 2)",
    harm: "the fifty-first rule of a policy comes behind the first of the next policy",
  },
  {
    name: "baseline-in-tier-two",
    file: "src/nbdb/rows/priorities.ts",
    was: "baseline: { tier: 3,",
    becomes: "baseline: { tier: 2,",
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
];
