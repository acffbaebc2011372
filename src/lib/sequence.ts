// Equality and difference of lists.

/** The same values in the same order. */
export function sameSequence<T>(a: readonly T[], b: readonly T[]): boolean {
  return a === b || (a.length === b.length && a.every((value, index) => value === b[index]));
}

export interface Differing<T> {
  /** Of the first list alone. */
  readonly removed: readonly T[];
  /** Of the second list alone. */
  readonly added: readonly T[];
}

/** How far behind a difference the lists are expected to go on alike. */
const lookahead = 8;

/**
 * The values that one of the lists has and the other has not, each in its list's order. Values of a list are distinct.
 * Looks at each value once, without a table, where few are added or removed and the others keep their order.
 */
export function differing<T>(before: readonly T[], after: readonly T[]): Differing<T> {
  const gone: T[] = [];
  const come: T[] = [];
  let [at, to] = [0, 0];
  while (at < before.length && to < after.length) {
    const [was, is] = [before[at] as T, after[to] as T];
    if (was === is) {
      at++;
      to++;
      continue;
    }
    const ahead = distance(before, at, after, to);
    if (ahead > 0) for (const end = to + ahead; to < end; to++) come.push(after[to] as T);
    else if (ahead < 0) for (const end = at - ahead; at < end; at++) gone.push(before[at] as T);
    else {
      gone.push(was);
      come.push(is);
      at++;
      to++;
    }
  }
  for (; at < before.length; at++) gone.push(before[at] as T);
  for (; to < after.length; to++) come.push(after[to] as T);
  return withoutMoved(gone, come);
}

/** How many values one list has before the other's next: positive in `after`, negative in `before`; 0: it is not near. */
function distance<T>(before: readonly T[], at: number, after: readonly T[], to: number): number {
  const [was, is] = [before[at], after[to]];
  for (let step = 1; step <= lookahead; step++) {
    if (to + step < after.length && after[to + step] === was) return step;
    if (at + step < before.length && before[at + step] === is) return -step;
  }
  return 0;
}

/** A value that both have was moved. */
function withoutMoved<T>(gone: readonly T[], come: readonly T[]): Differing<T> {
  if (gone.length === 0 || come.length === 0) return { removed: gone, added: come };
  const [left, arrived] = [new Set(gone), new Set(come)];
  return { removed: gone.filter((one) => !arrived.has(one)), added: come.filter((one) => !left.has(one)) };
}
