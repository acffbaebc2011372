// The layouts of tiers: where the places of all policies come from, and which numbers may depend on history.

import type { ExpectedPriorities } from "../../policy/contracts/dialect.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import { isStack } from "../../policy/contracts/tier-layout.ts";
import type { AnpPriorities } from "./layout.ts";
import { isRankedPlace } from "./layout.ts";
import type { AclPlace, PolicyPlaces } from "./places.ts";
import { Ranking } from "./ranking.ts";
import { isStackPlace } from "./stack/ovn-tiers.ts";
import { StackPlaces } from "./stack/stack-places.ts";

interface Asked {
  /** `threeTiers` unless given. */
  readonly tierLayout?: TierLayout;
  /** Of `threeTiers`: `documented` unless given. */
  readonly anpPriorities?: AnpPriorities;
  /** Of `threeTiers`: nothing unless given. */
  readonly expected?: readonly ExpectedPriorities[];
}

export function placesOf({
  tierLayout = "threeTiers",
  anpPriorities = "documented",
  expected,
}: Asked): PolicyPlaces {
  return isStack(tierLayout) ? new StackPlaces(tierLayout) : new Ranking(anpPriorities, expected);
}

/** Whether of a place's number only the order means something, since it may depend on history. */
export function isRankedIn(
  place: AclPlace,
  { tierLayout = "threeTiers", anpPriorities = "documented" }: Asked,
): boolean {
  if (!isStack(tierLayout)) return isRankedPlace(place, anpPriorities);
  return isStackPlace(place, tierLayout);
}
