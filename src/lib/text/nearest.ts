// The text among many that a user may have meant: the one with the fewest letters to change, if they are few.

/** null: none is near. At most `most` letters may have to be changed, a third of the text's unless given. */
export function nearest(
  text: string,
  candidates: Iterable<string>,
  most = Math.max(1, Math.floor(text.length / 3)),
): string | null {
  let best: string | null = null;
  let least = most + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const edits = editsBetween(text, candidate);
    if (edits < least || (edits === least && best !== null && candidate < best)) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** As `editsBetween`; Infinity: more than a third of the letters of what was asked. */
export function lettersBetween(asked: string, name: string): number {
  const most = Math.max(1, Math.floor(asked.length / 3));
  if (Math.abs(asked.length - name.length) > most) return Infinity;
  const edits = editsBetween(asked, name);
  return edits <= most ? edits : Infinity;
}

/** How many letters to add, drop, change or swap with their neighbour. */
export function editsBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
