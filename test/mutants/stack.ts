// Mistakes in the stack of tiers: which tier of OVN each has, and which passes need one.

import type { Listed } from "./list.ts";

export const stack: readonly Listed[] = [
  {
    name: "no-tier-of-ovn-behind-a-pass",
    file: "src/nbdb/ranking/stack/assignment.ts",
    was: "const isCut = tiers[index - 1]?.passes === true;",
    becomes: "const isCut = false;",
    harm: "every pass with a tier behind it denies",
  },
  {
    name: "open-end-before-other-policies",
    file: "src/nbdb/ranking/stack/tier-members.ts",
    was: "return last.behind === 0;",
    becomes: "return true;",
    harm: "what a tier passes meets the policies behind that rule",
  },
  {
    name: "open-end-beside-other-passes",
    file: "src/nbdb/ranking/stack/tier-members.ts",
    was: ` || others.length > 0`,
    becomes: "",
    harm: "rules that pass have no rows, and later rules of the tier decide instead",
  },
  {
    name: "open-end-for-some-pods",
    file: "src/nbdb/ranking/stack/wishes.ts",
    was: "isEvery(namespaces.text) && isEvery(pods.text))",
    becomes: "isEvery(namespaces.text))",
    harm: "pods that a tier isolates go on to the next",
  },
  {
    name: "an-end-opens-and-nobody-is-told",
    file: "src/nbdb/ranking/stack/stack-places.ts",
    was: "before === undefined || before === ends",
    becomes: "before !== ends",
    harm: "default denies stay where a pass is to go on, or are missing where it went",
  },
  {
    name: "nothing-is-contested",
    file: "src/nbdb/ranking/stack/stack-places.ts",
    was: "if (!this.#hasChanged) return [];",
    becomes: "if (this.#hasChanged) return [];",
    harm: "a pass that has lost its tier of OVN skips the tiers behind it",
  },
  {
    name: "what-stays-of-a-refused-object-passes",
    file: "src/controller/engine.ts",
    was: "if (!record.rejected || record.policy === null) return;",
    becomes: "if (record.policy !== null) return;",
    harm: "the earlier version of a refused object skips tiers",
  },
  {
    name: "asked-policies-stay-in-the-stack",
    file: "src/nbdb/ranking/stack/stack-tiers.ts",
    was: "if (before === null) this.#take(policy.key);\n    else this.#put(before);",
    becomes: "if (before !== null) this.#put(before);",
    harm: "policies that are refused take tiers of OVN from those in force",
  },
  {
    name: "front-passes-over-the-rest",
    file: "src/nbdb/ranking/stack/assignment.ts",
    was: "front?.passes === true && later.length > 0",
    becomes: "front?.passes === true && later.length > 1",
    harm: "what is passed before OVN-Kubernetes' NetworkPolicies skips the tier behind them",
  },
  {
    name: "order-of-network-policies-behind-them",
    file: "src/policy/contracts/tier-layout.ts",
    was: "policy.priority <= around.priority",
    becomes: "policy.priority < around.priority",
    harm: "a Deny of order 1000 comes after what OVN-Kubernetes' NetworkPolicies allow",
  },
];
