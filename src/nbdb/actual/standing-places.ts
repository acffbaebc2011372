// The places that policies' rows have in the database: what a program that starts, or takes over from another, keeps.
// Each ACL says where the first rule of its policy stands; where they disagree, the place that most of them say counts,
// so that one row that another client has changed moves no other.

import type { PolicyKey } from "../../policy/ir.ts";
import type { AclPlace, StandingPlaces } from "../ranking/places.ts";
import { keys } from "../rows/names.ts";
import type { AclRow } from "../rows/schema.ts";
import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit } from "../rows/unit.ts";

export function standingPlaces(
  acls: Iterable<readonly [UnitKey, Pick<AclRow, "tier" | "priority" | "external_ids">]>,
): StandingPlaces {
  const starts = new Votes();
  const ends = new Votes();
  for (const [unit, { tier, priority, external_ids }] of acls) {
    const policy = policyOfUnit(unit);
    const index = external_ids.get(keys.index) ?? "";
    if (policy === null) continue;
    if (index === "default") ends.add(policy, { tier, priority });
    else if (/^\d{1,5}$/.test(index)) starts.add(policy, { tier, priority: priority + Number(index) });
  }
  return new Map(
    [...starts.policies(), ...ends.policies()].map((key) => [
      key,
      { start: starts.most(key), end: ends.most(key) },
    ]),
  );
}

class Votes {
  readonly #votes = new Map<PolicyKey, Map<string, { readonly place: AclPlace; count: number }>>();

  policies(): Iterable<PolicyKey> {
    return this.#votes.keys();
  }

  add(policy: PolicyKey, place: AclPlace): void {
    const votes = this.#votes.get(policy) ?? new Map<string, { readonly place: AclPlace; count: number }>();
    this.#votes.set(policy, votes);
    const text = `${place.tier} ${place.priority}`;
    const vote = votes.get(text) ?? { place, count: 0 };
    vote.count++;
    votes.set(text, vote);
  }

  most(policy: PolicyKey): AclPlace | null {
    let most: { readonly place: AclPlace; readonly count: number } | null = null;
    for (const vote of this.#votes.get(policy)?.values() ?? [])
      if (most === null || vote.count > most.count) most = vote;
    return most?.place ?? null;
  }
}
