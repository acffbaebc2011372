// Mistakes in what lint finds: it is silent about a fault, or calls a rule useless that decides something.

import type { Listed } from "./list.ts";

export const lint: readonly Listed[] = [
  {
    name: "shadow-of-another-policy-of-equal-priority",
    file: "src/verdicts/walk.ts",
    was: "=> a.turn === b.turn);",
    becomes: "=> a.priority === b.priority);",
    harm: "a rule that decides is called useless, and who deletes it changes a verdict",
  },
  {
    name: "turns-taken-for-a-tie",
    file: "src/verdicts/walk.ts",
    was: "=> a.turn === b.turn);",
    becomes: "=> a.policy === b.policy);",
    harm: "who decides among Antrea's policies of one priority is called open, and rules that never decide are not told",
  },
  {
    name: "passes-end-at-their-tier",
    file: "src/verdicts/walk.ts",
    was: "return passed | left;",
    becomes: "return left;",
    harm: "rules behind a pass are called unreachable, and who deletes them opens what they deny",
  },
  {
    name: "isolation-not-seen",
    file: "src/verdicts/entries.ts",
    was: 'return policy.unmatched[direction] === "next" ? rules :',
    becomes: "return policy.unmatched[direction].length > 0 ? rules :",
    harm: "pods that a NetworkPolicy cuts off from DNS are not told",
  },
  {
    name: "pod-to-itself-counted",
    file: "src/verdicts/family-reach.ts",
    was: "return one !== other;",
    becomes: "return one === other || one !== other;",
    harm: "a rule about a lonely pod's own namespace is said to decide something",
  },
  {
    name: "last-port-of-a-range-not-cut",
    file: "src/verdicts/axes.ts",
    was: "of [start, end + 1])",
    becomes: "of [start, end])",
    harm: "a range with one port left over is called shadowed",
  },
  {
    name: "a-key-that-is-missing-is-any-value",
    file: "src/lint/allowed-values.ts",
    was: "if (inner.missing && !outer.missing) return false;",
    becomes: "",
    harm: "a rule is called shadowed by one that does not select pods without the label",
  },
  {
    name: "dns-on-one-side-only",
    file: "src/lint/rules/reaching.ts",
    was: "for (const direction of directions.toReversed()) {",
    becomes: "for (const direction of directions.toReversed().slice(0, 1)) {",
    harm: "pods whose DNS the ingress of the DNS pods denies are not told",
  },
  {
    name: "suppression-of-every-rule",
    file: "src/lint/suppressions.ts",
    was: "if (id !== found) return false;",
    becomes: "",
    harm: "one suppressed finding hides all others of its policy",
  },
  {
    name: "suppressed-findings-counted",
    file: "src/lint/lint.ts",
    was: "const open = findings.filter(({ suppressed }) => suppressed === null);",
    becomes: "const open = findings;",
    harm: "a suppressed error still fails the pipeline's counts",
  },
  {
    name: "a-service's-connections-cover-all",
    file: "src/lint/implication.ts",
    was: "translated !== true || rule.translated === true",
    becomes: "translated !== true || translated",
    harm: "a rule behind one about a Service is called useless, and decides what goes straight to the pods",
  },
];
