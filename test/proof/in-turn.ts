// From several groups, one of each in turn: how packets are chosen so that every chain of rules among them is walked.

export function inTurn<T>(groups: readonly (readonly T[])[], limit: number): readonly T[] {
  const longest = groups.reduce((most, { length }) => Math.max(most, length), 0);
  const rounds = Array.from({ length: longest }, (_, at) => groups.flatMap((group) => group[at] ?? []));
  return rounds.flat().slice(0, limit);
}
