// Which sets and groups a match names, as it writes them: `$set` and `@group`. Reads no more of the match than these names,
// since one that lists addresses may be some hundred thousand characters long.

const marks = ["$", "@"] as const;
const word = /\w+/y;

/** Each once. */
export function namesIn(match: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const mark of marks) {
    for (let at = match.indexOf(mark); at >= 0; at = match.indexOf(mark, at + 1)) {
      word.lastIndex = at + 1;
      const name = word.exec(match)?.[0];
      // A text of its own: a part of the match would keep all of it in memory.
      if (name !== undefined) names.add(`${mark}${name}`);
    }
  }
  return names;
}
