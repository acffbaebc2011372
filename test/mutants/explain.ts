// Mistakes in what `explain` and `get` say of policies: a verdict that is claimed though it is open, a wrong decider, a wrong
// reason.

import type { Listed } from "./list.ts";

export const explain: readonly Listed[] = [
  {
    name: "tie-told-as-decided",
    file: "src/explain/side.ts",
    was: "const ties = known.ties.filter(({ disagree }) => disagree);",
    becomes: "const ties = known.ties.filter(() => false);",
    harm: "of two policies of one priority that say different things one is said to decide",
  },
  {
    name: "hairpin-judged",
    file: "src/explain/side.ts",
    was: "!isOnPodNetwork(pod) || isSelf) return exempt;",
    becomes: "!isOnPodNetwork(pod)) return exempt;",
    harm: "a pod's connection to itself is said to be denied",
  },
  {
    name: "open-beats-denied",
    file: "src/explain/explain.ts",
    was: 'if (verdicts.includes("deny")) return "deny";',
    becomes: 'if (verdicts.includes("deny") && !verdicts.includes("unknown")) return "deny";',
    harm: "what one side denies for certain is said to be open because the other side is",
  },
  {
    name: "egress-is-never-asked",
    file: "src/explain/explain.ts",
    was: "verdict: overall([sides.egress, sides.ingress]),",
    becomes: "verdict: overall([sides.ingress]),",
    harm: "a connection that the source's policies deny is said to be allowed",
  },
  {
    name: "doubt-that-closes-a-tier",
    file: "src/explain/possible.ts",
    was: "rules.push(rule);\n    } else",
    becomes: "return { rules: [rule], isSure: true };\n    } else",
    harm: "what stands behind a policy that nobody can read is said to have no effect",
  },
  {
    name: "refused-policies-overlooked",
    file: "src/explain/doubts.ts",
    was: 'for (const rule of policy.rules.ingress) rules.set(rule, { code: "NotRead", policy });',
    becomes: "",
    harm: "a verdict is claimed that a refused policy might change",
  },
  {
    name: "domain-names-overlooked",
    file: "src/explain/doubts.ts",
    was: 'return action === "allow" && fields.some',
    becomes: 'return action === "pass" && fields.some',
    harm: "an address that a domain name may stand for is said to be denied for certain",
  },
  {
    name: "isolation-by-one-alone",
    file: "src/explain/side.ts",
    was: "policy.tier.order === step.policy.tier.order &&",
    becomes: "policy === step.policy &&",
    harm: "who deletes the one NetworkPolicy that is named finds the pod still isolated",
  },
  {
    name: "near-with-two-parts-wrong",
    file: "src/explain/near.ts",
    was: "if (peer === port) return null;",
    becomes: "if (peer && port) return null;",
    harm: "a rule that would not match with the named part put right is said to nearly match",
  },
  {
    name: "near-behind-a-pass",
    file: "src/explain/near.ts",
    was: "if (!left.has(order)) yield",
    becomes: "yield",
    harm: "a rule is said to nearly match that could not have had an effect",
  },
  {
    name: "loser-of-a-passed-tier",
    file: "src/explain/lost.ts",
    was: 'if (steps.every((step) => step.rule?.action === "pass")) return "passed";',
    becomes: "",
    harm: "a rule behind a pass is said to stand behind a decision",
  },
  {
    name: "completed-pods-keep-their-addresses",
    file: "src/analysis/ends.ts",
    was: "if (isOnPodNetwork(pod)) for (const ip of pod.ips)",
    becomes: "for (const ip of pod.ips)",
    harm: "an address is judged as that of a pod that has ended",
  },
  {
    name: "ipv6-where-both-are",
    file: "src/analysis/ends.ts",
    was: 'const families: readonly IpFamily[] = ["v4", "v6"];',
    becomes: 'const families: readonly IpFamily[] = ["v6", "v4"];',
    harm: "another family is judged than the one that is documented",
  },
  {
    name: "service-port-for-the-pods",
    file: "src/explain/services.ts",
    was: 'const { raw: target = port } = field.at("targetPort");',
    becomes: "const target = port;",
    harm: "the pods behind a Service are judged at the Service's port instead of their own",
  },
  {
    name: "priority-of-the-ir",
    file: "src/explain/asked.ts",
    was: "return this.#priorities.get(key) ?? null;",
    becomes: "return this.policies.find((one) => one.key === key)?.priority ?? null;",
    harm: "priorities are printed that no object has",
  },
  {
    name: "isolating-policy-inert",
    file: "src/explain/overview.ts",
    was: 'if (directions.some((direction) => policy.unmatched[direction] === "deny")) return false;',
    becomes: "",
    harm: "a NetworkPolicy that isolates pods by having no rules is listed as without effect",
  },
];
