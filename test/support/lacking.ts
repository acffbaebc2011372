// For properties over random worlds that also say what the worlds must have held: those of one run may lack what is rare.

const mostRuns = 5;

/** Runs the property, over other worlds up to five times, until `seen` has so many of each; returns what it still lacks. */
export async function lacking<Name extends string>(
  seen: Readonly<Record<Name, number>>,
  least: Readonly<Partial<Record<Name, number>>>,
  run: () => unknown,
): Promise<readonly string[]> {
  const counts: Readonly<Record<string, number>> = seen;
  const lacks = (): readonly string[] =>
    Object.entries<number | undefined>(least).flatMap(([name, count]) => {
      const found = counts[name] ?? 0;
      return found < (count ?? 0) ? [`${name}: ${found} of ${count}`] : [];
    });
  await run();
  for (let runs = 1; runs < mostRuns && lacks().length > 0; runs++) await run();
  return lacks();
}
