// Mistakes in what `plan` says would change: connections that are left out of every class, or are in one and do not change.

import type { Listed } from "./list.ts";

export const plan: readonly Listed[] = [
  {
    name: "list-ends-behind-a-pass",
    file: "src/plan/lists.ts",
    was: "ended: closed && !passes,",
    becomes: "ended: closed,",
    harm: "what a rule has passed to the next tier is said to be decided by a later rule of this tier",
  },
  {
    name: "tied-rule-closes-its-tier",
    file: "src/plan/lists.ts",
    was: "const closed = entry.ports === null && entry.settles;",
    becomes: "const closed = entry.ports === null;",
    harm: "of two policies of one priority that disagree the first by name is said to decide",
  },
  {
    name: "isolation-before-the-rules",
    file: "src/plan/entries.ts",
    was: "return one.isolates ? 1 : -1;",
    becomes: "return one.isolates ? -1 : 1;",
    harm: "what a NetworkPolicy allows is said to be denied, since policies isolate the pod",
  },
  {
    name: "moved-policy-is-the-same",
    file: "src/plan/entries.ts",
    was: "const [head, tail] = isMoved ? [0, 0] : commonEnds(before, after);",
    becomes: "const [head, tail] = commonEnds(before, after);",
    harm: "a policy whose priority is edited changes no verdict, says the plan",
  },
  {
    name: "edited-destination-not-looked-at",
    file: "src/plan/verdicts.ts",
    was: "if (to.differs) return true;",
    becomes: "",
    harm: "a destination that is relabelled, or whose named ports move, is compared only where a rule was edited",
  },
  {
    name: "edited-source-not-looked-at",
    file: "src/plan/verdicts.ts",
    was: "if (from.differs) return this.#all;",
    becomes: "",
    harm: "a source that is relabelled is compared only where a rule was edited",
  },
  {
    name: "edited-ingress-not-looked-at",
    file: "src/plan/verdicts.ts",
    was: 'this.#marks("ingress", age, to)?.[from.columns[age]] === 1,',
    becomes: "false,",
    harm: "a rule of the destination's side that is edited changes no verdict, says the plan",
  },
  {
    name: "named-ports-forgotten",
    file: "src/plan/lists.ts",
    was: 'some(({ kind }) => kind === "named");',
    becomes: "some(() => false);",
    harm: "rules with ports by name match nothing in a plan",
  },
  {
    name: "exception-of-a-network-forgotten",
    file: "src/analysis/address-space.ts",
    was: "if (!holes.some(({ first, last }) => first <= at && at <= last)) found.push(at);",
    becomes: "found.push(at);",
    harm: "addresses that a rule leaves out are said to be in it",
  },
  {
    name: "last-address-cut-short",
    file: "src/analysis/address-space.ts",
    was: "starts.add(first).add(last + 1n);",
    becomes: "starts.add(first).add(last);",
    harm: "a network's last address is in another class than the others",
  },
  {
    name: "change-joined-by-its-traffic-alone",
    file: "src/plan/classes.ts",
    was: "const key = `${change.id} ${to.length} ${hashOf(to)}`;",
    becomes: "const key = `${to.length} ${hashOf(to)}`;",
    harm: "what comes to be denied and what comes to be allowed are one class",
  },
  {
    name: "one-side-allows-for-both",
    file: "src/plan/difference.ts",
    was: 'if (verdicts.includes("deny")) return "deny";',
    becomes: 'if (verdicts.every((verdict) => verdict === "deny")) return "deny";',
    harm: "a connection that one side denies is said to be allowed because the other side allows it",
  },
  {
    name: "own-namespaces-are-all",
    file: "src/plan/columns.ts",
    was: "return `in ${JSON.stringify(namespace.name)} ${pods.text}`;",
    becomes: "return `in ${pods.text}`;",
    harm: "a peer in the subject's own namespace is any pod of the cluster",
  },
  {
    name: "open-verdict-told-as-denied",
    file: "src/plan/tables.ts",
    was: 'if (said.size > 1) return "unknown";',
    becomes: 'if (said.size > 1) return "deny";',
    harm: "what the order of policies leaves open is said to be denied",
  },
];
