// Mistakes in how a node's packet filter is written.

import type { Listed } from "./list.ts";

export const netfilterLive: readonly Listed[] = [
  {
    name: "rules-before-their-sets",
    file: "src/netfilter/live/node-filter.ts",
    was: '    if (steps.sets !== "") await this.#tools.changeSets(steps.sets);\n',
    becomes: "",
    harm: "rules name sets that are not there, and the tools refuse all policies",
  },
  {
    name: "jump-is-added-again",
    file: "src/netfilter/live/plan-rules.ts",
    was: "if (isWanted && places.length === 1 && places[0] === 0) return [];",
    becomes: "",
    harm: "every commit writes the jump again",
  },
  {
    name: "stale-chains-stay",
    file: "src/netfilter/live/plan-rules.ts",
    was: "    ...stale.map((name) => `-X ${name}`),\n",
    becomes: "",
    harm: "chains of removed policies stay on the node",
  },
  {
    name: "jump-stays-behind",
    file: "src/netfilter/live/plan-rules.ts",
    was: "if (isWanted && places.length === 1 && places[0] === 0) return [];",
    becomes: "if (isWanted && places.length > 0) return [];",
    harm: "rules that another program puts before the jump decide first",
  },
  {
    name: "departed-addresses-stay",
    file: "src/netfilter/live/live-sets.ts",
    was: "    for (const element of there) changes.removed.push({ name, element });\n",
    becomes: "",
    harm: "the address of a removed pod keeps what the pod was allowed",
  },
  {
    name: "new-set-is-not-filled",
    file: "src/netfilter/live/live-sets.ts",
    was: 'if (!isSame) this.#pending.mark(key, "all");',
    becomes: "",
    harm: "the set of a new policy is empty, so that it selects nobody",
  },
  {
    name: "local-set-forgets-a-subject",
    file: "src/netfilter/live/live-sets.ts",
    was: "else for (const group of are.difference(were)) this.#pending.mark(key, this.#localOf(group));",
    becomes: "",
    harm: "a policy that is added later filters no pod of the node",
  },
  {
    name: "frozen-policies-are-removed",
    file: "src/netfilter/live/backend.ts",
    was: "(isLater(key) || this.#guard.spares(key))",
    becomes: "isLater(key)",
    harm: "a policy that cannot be read is not enforced after a restart",
  },
  {
    name: "refused-policies-lose-their-chains",
    file: "src/netfilter/live/backend.ts",
    was: "this.#pending.has(key) || this.#refused.has(key);",
    becomes: "this.#pending.has(key);",
    harm: "an edit that the kernel refuses takes away what the policy said before",
  },
  {
    name: "half-read-after-a-refusal",
    file: "src/netfilter/live/backend.ts",
    was: "      await this.#options.filter.read();\n",
    becomes: "",
    harm: "after a refused text nothing more is written",
  },
  {
    name: "kept-policies-come-first",
    file: "src/netfilter/live/chain-items.ts",
    was: "if (at >= 0) last = Math.max(last, at);",
    becomes: "if (at >= 0) continue;",
    harm: "a policy that is kept decides before policies that come before it",
  },
  {
    name: "unread-policies-lose-shared-addresses",
    file: "src/netfilter/live/live-sets.ts",
    was: "    if (this.#isKeeping && isShared) return;\n",
    becomes: "",
    harm: "pods of a policy that cannot be read are not filtered, though its chains stay",
  },
  {
    name: "changes-of-others-stay",
    file: "src/netfilter/live/filter-sight.ts",
    was: "    if (isOther) changed();\n",
    becomes: "",
    harm: "what another program has changed is never put right",
  },
  {
    name: "protocols-by-name-differ",
    file: "src/netfilter/live/actual.ts",
    was: "return number === undefined ? whole : `${before}-p ${number}`;",
    becomes: "return whole;",
    harm: "rules about a protocol by number are written again with every reading",
  },
];
