// Which policies a rule on the node may be of, by its comment.

import type { PolicyKey } from "../../policy/ir.ts";
import type { RuleOwner } from "../comment.ts";
import { policyWord } from "../comment.ts";

const key = /^[^/]+(?:\/[^/]+){1,2}$/;

export class RuleOwners {
  readonly #known: ReadonlyMap<string, readonly PolicyKey[]>;

  /** `known`: policies whose keys are known. Of others the comment must say all: names that are too long for it are known alone. */
  constructor(known: Iterable<PolicyKey>) {
    this.#known = Map.groupBy(new Set(known), policyWord);
  }

  of({ word, isCut }: RuleOwner): readonly PolicyKey[] {
    if (isCut) return [...this.#known].flatMap(([whole, keys]) => (whole.startsWith(word) ? keys : []));
    return this.#known.get(word) ?? (key.test(word) ? [word as PolicyKey] : []);
  }
}
