// Mistakes on the way from desired rows to transactions: what is not written, written too late, or written to others' rows.

import type { Listed } from "./list.ts";

export const planner: readonly Listed[] = [
  {
    name: "elements-are-never-taken-out",
    file: "src/nbdb/plan/address-set.ts",
    was: "(want ? added : removed).push(value);",
    becomes: "if (want) added.push(value);",
    harm: "the addresses of pods that are gone stay in the rules",
  },
  {
    name: "stale-rules-stay",
    file: "src/nbdb/plan/port-group.ts",
    was: "removed: difference(kept, row.acls).removed,",
    becomes: "removed: [],",
    harm: "a rule that was taken out of a policy goes on to act",
  },
  {
    name: "stale-address-sets-stay",
    file: "src/nbdb/plan/unit.ts",
    was: "const isWhole = state === null || pending.whole;",
    becomes: "const isWhole = state === null;",
    harm: "address sets of rules that are gone pile up",
  },
  {
    name: "removed-policy-keeps-its-rows",
    file: "src/nbdb/backend.ts",
    was: "    for (const unit of gone) this.#pending.markWhole(unit);\n",
    becomes: "    void gone;\n",
    harm: "a deleted policy goes on to act until the next restart",
  },
  {
    name: "rows-of-others-swept",
    file: "src/nbdb/rows/owners.ts",
    was: "  if (externalIds.get(keys.ownerController) !== ownerController) return null;\n",
    becomes: "",
    harm: "rows of another controller are edited and deleted",
  },
  {
    name: "nothing-is-swept",
    file: "src/nbdb/backend.ts",
    was: "      for (const unit of this.#actual.owners()) this.#pending.markWhole(unit);\n",
    becomes: "",
    harm: "a policy that was deleted while the controller was down acts for ever",
  },
  {
    name: "unreadable-policy-swept",
    file: "src/nbdb/actual/sweep-guard.ts",
    was: "return this.#frozen.has(key) || (",
    becomes: "return (",
    harm: "after a restart a policy with a mistake in its last edit loses the rules that it had",
  },
  {
    name: "refused-transaction-forgotten",
    file: "src/nbdb/write/committer.ts",
    was: "      for (const key of keys) this.#options.units.notWritten(key);\n",
    becomes: "",
    harm: "policies that were written together with a refused one are never written",
  },
  {
    name: "refused-policy-not-tried-again",
    file: "src/nbdb/refusals.ts",
    was: "      this.#pending.markWhole(unit);\n",
    becomes: "",
    harm: "a policy whose rows were refused once stays unwritten when the reason is gone",
  },
  {
    name: "nothing-written-after-a-reconnect",
    file: "src/nbdb/backend.ts",
    was: "ready: () => {\n        this.#fill();",
    becomes: "ready: () => {\n        if (!this.#filled) this.#fill();",
    harm: "what changed while the database was away is not written when it is back",
  },
  {
    name: "sets-and-rules-apart",
    file: "src/nbdb/write/committer.ts",
    was: "    await session.transact(operations);\n",
    becomes:
      '    const isSet = (one: Operation) => "table" in one && one.table === "Address_Set";\n' +
      "    await session.transact(operations.filter(isSet));\n" +
      "    await session.transact(operations.filter((one) => !isSet(one)));\n",
    harm: "between two transactions packets meet new addresses under old rules",
  },
  {
    name: "a-transaction-a-policy",
    file: "src/nbdb/write/committer.ts",
    was: "return interrupted ?? (await this.#write(await this.#batch(keys), ledger));",
    becomes:
      "for (const key of keys) { const stopped = interrupted ?? (await this.#write(await this.#batch([key]), ledger)); " +
      "if (stopped !== null) return stopped; } return null;",
    harm: "when a deny moves from one policy to another, packets pass in between",
  },
  {
    name: "ports-written-ahead",
    file: "src/nbdb/plan/prewrite.ts",
    was: "planNewPortGroup(portGroup, state, { acls, ports: [] }, context)",
    becomes:
      "planNewPortGroup(portGroup, state, { acls, ports: [...context.content.portNames(portGroup)].flatMap((name) => context.actual.port(name) ?? []) }, context)",
    harm: "policies of a large commit act one after the other, and packets pass in between",
  },
  {
    name: "edited-action-not-written",
    file: "src/nbdb/plan/acls.ts",
    was: '  "action",\n',
    becomes: "",
    harm: "a rule whose Allow became a Deny goes on to allow",
  },
  {
    name: "edited-priority-not-written",
    file: "src/nbdb/plan/acls.ts",
    was: '  "priority",\n',
    becomes: "",
    harm: "a policy whose priority was edited decides in its old place",
  },
  {
    name: "late-port-not-noticed",
    file: "src/nbdb/actual/drift.ts",
    was: "if (isPortChange(change)) notePort(change, context);\n  else if (",
    becomes: "if (!isPortChange(change) && ",
    harm: "a pod whose port comes after the pod is subject to no policy",
  },
  {
    name: "edited-set-not-put-right",
    file: "src/nbdb/actual/drift.ts",
    was: "    pending.addressSets.mark(name, Iterator.from(elements).map(String));\n",
    becomes: "",
    harm: "an address that someone put into a set by hand stays in it",
  },
  {
    name: "moved-policy-not-rendered",
    file: "src/nbdb/rows/render.ts",
    was: "acls: isInPlace ? acls : acls.map((acl) => movedAcl(acl, policy, rule)),",
    becomes: "acls,",
    harm: "rules that an edit of their policy's priority leaves as they are decide in their old place",
  },
  {
    name: "swapped-network-not-written",
    file: "src/nbdb/desired/difference.ts",
    was: "a.networks.size === b.networks.size &&\n    [...a.networks].every((network) => b.networks.has(network))",
    becomes: "a.networks.size === b.networks.size",
    harm: "a rule whose network was replaced goes on with the one before",
  },
  {
    name: "new-subject-not-written",
    file: "src/nbdb/desired/difference.ts",
    was: '    if (!sameSequence(old.get(name)?.subjects ?? [], subjects)) pending.ports.mark(name, "all");\n',
    becomes: "",
    harm: "a policy whose subject was edited acts on the pods that it had before",
  },
  {
    name: "hidden-row-not-replaced",
    file: "src/nbdb/plan/address-set.ts",
    was: 'before === undefined ? [] : [operation.remove("Address_Set", before)]',
    becomes: "[]",
    harm: "a set whose owner someone wiped out by hand blocks its policy",
  },
  {
    name: "copied-rule-taken-for-ours",
    file: "src/nbdb/plan/acls.ts",
    was: "rows.find(({ uuid }) => referred?.has(uuid) === true) ?? null;",
    becomes: "rows.find(({ uuid }) => referred?.has(uuid) === true) ?? rows[0] ?? null;",
    harm: "a copy that someone made of our ACL becomes ours, and edits reach their port group",
  },
  {
    name: "any-edit-is-our-own",
    file: "src/nbdb/actual/in-flight.ts",
    was: "return elements?.size === expected.elements.size && elements.isSubsetOf(expected.elements);",
    becomes: "return elements !== undefined;",
    harm: "what another client does to a row that is being written is never put right",
  },
  {
    name: "old-destinations-beside-new",
    file: "src/contents/destination-lists.ts",
    was: "const others = list.filter(({ ip }) => !touched.has(ip));",
    becomes: "const others = list;",
    harm: "a named port goes on leading to the numbers that a pod no longer has",
  },
];
