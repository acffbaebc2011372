// What a term of a rule's normal form means in rows: groups, whose members the membership knows, and networks, which the
// rule lists. Refuses a term that has no rows; admission.ts says so of the policy before.

import { invariant } from "../lib/invariant.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { subtract } from "../model/cidr.ts";
import { everyAddress, familyOf } from "../model/ip.ts";
import type { Group, GroupKey } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";
import type { Ends, EndTerm } from "../policy/normal-form.ts";
import { nothingElse } from "../policy/normal-form.ts";

/** Networks of the family that the term lists itself. */
export function networksOf({ anyOf, noneOf, within, ...others }: EndTerm, family: IpFamily): readonly Cidr[] {
  nothingElse(others);
  invariant(
    anyOf.sameNamespaces.length === 0,
    "a peer that depends on the subject's namespace was not made plain",
  );
  invariant(within === null && isOfNetworks(noneOf), "a part of a peer was not refused");
  if (anyOf.everything) return [everyAddress(family)];
  return anyOf.networks.flatMap((cidr) => (familyOf(cidr) === family ? subtract(cidr, noneOf.networks) : []));
}

/** Networks of the family that the term's groups are narrowed to; null: they are not. */
export function limitsOf({ noneOf, within }: EndTerm, family: IpFamily): readonly Cidr[] | null {
  return within === null ? null : networksOf({ anyOf: within, noneOf, within: null }, family);
}

/** Whether it is networks less the pods of groups. */
export function isOfOthers({ noneOf }: EndTerm): boolean {
  return noneOf.pods.length > 0;
}

/** Whether nothing but networks is in it. */
function isOfNetworks({
  everything,
  pods,
  sameNamespaces,
  nodes,
  hostNames,
  networks,
  ...others
}: Ends): boolean {
  nothingElse(others);
  const all = [...pods, ...sameNamespaces, ...nodes, ...hostNames, ...networks];
  return !everything && all.length === networks.length;
}

/** Each once. */
export function groupKeys(groups: readonly Group[]): readonly GroupKey[] {
  return [...new Set(groups.map(groupKey))];
}
