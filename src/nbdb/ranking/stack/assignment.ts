// Which tier of OVN each evaluation tier is in. OVN's `pass` goes to the next OVN tier (ovn-nb(5) ACL.action), so behind a tier that
// passes an OVN tier begins. While OVN tiers are left: the first ones in the order of evaluation that need it have it, and a tier
// that finds none left stays in the last. A tier for whose rules the OVN tier before has no levels left begins one as well: one too
// many does no harm. Pure, and a function of the present policies alone.
//
// Invariant: what fits still does when a policy goes, is shorter, or passes no more, since then no OVN tier begins earlier than it did.

/** Of the policies of one evaluation tier. */
export interface TierDemand {
  /** How many levels they need, with the tier's end. */
  readonly levels: number;
  /** Whether a rule passes that must have a row, or would pass if it had an OVN tier to pass to. */
  readonly passes: boolean;
}

export interface Assigned {
  /** In which of the OVN tiers, from 0. */
  readonly at: number;
  /** What passes this tier would skip another one, behind it in the same OVN tier. */
  readonly isClosed: boolean;
}

export interface Assignment {
  /** As the tiers. */
  readonly tiers: readonly Assigned[];
  /** Whether each OVN tier has levels for its tiers. */
  readonly fits: boolean;
}

/** `tiers`: in their order. `levels`: of each OVN tier. */
export function assign(tiers: readonly TierDemand[], levels: readonly number[]): Assignment {
  const places: number[] = [];
  let [at, used, fits] = [0, 0, true];
  for (const [index, tier] of tiers.entries()) {
    const isCut = tiers[index - 1]?.passes === true;
    const isFull = used > 0 && used + tier.levels > (levels[at] ?? 0);
    if ((isCut || isFull) && at + 1 < levels.length) [at, used] = [at + 1, 0];
    used += tier.levels;
    fits &&= used <= (levels[at] ?? 0);
    places.push(at);
  }
  return {
    tiers: places.map((place, index) => ({
      at: place,
      isClosed: tiers[index]?.passes === true && places[index + 1] === place,
    })),
    fits,
  };
}

/** The tiers, with another program's rows between them: those are in the tier of OVN before the last. */
export interface Surrounding {
  /** Of tiers before the one that those rows are in. */
  readonly earlier: readonly TierDemand[];
  /** Of that tier: what stands in front of those rows, if something does. */
  readonly front: TierDemand | null;
  /** Of that tier: what stands behind those rows, with its end, if something does. */
  readonly rest: TierDemand | null;
  readonly later: readonly TierDemand[];
}

/**
 * The answer has them in their order. What passes out of the front skips those rows and the rest, which no `pass` of OVN does: it is
 * closed as soon as a later tier has policies.
 */
export function assignAround(
  { earlier, front, rest, later }: Surrounding,
  levels: readonly number[],
): Assignment {
  const last = levels.length - 1;
  const others: TierDemand = { levels: 0, passes: false };
  const fronts = front === null ? [] : [{ levels: front.levels, passes: false }];
  const before = assign([...earlier, ...fronts, others], levels.slice(0, last));
  const behind = assign([...(rest === null ? [] : [rest]), ...later], levels.slice(last));
  const isFrontClosed = front?.passes === true && later.length > 0;
  return {
    tiers: [
      ...before.tiers
        .slice(0, -1)
        .map((one, at) => (at < earlier.length ? one : { ...one, isClosed: isFrontClosed })),
      ...behind.tiers.map((one) => ({ ...one, at: one.at + last })),
    ],
    fits: before.fits && behind.fits,
  };
}
