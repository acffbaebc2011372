// A list in one cell of a table: how many elements it has, and the first of them.

const most = 8;

export function shownList(list: readonly string[]): string {
  if (list.length === 0) return "-";
  const shown = `${list.length}: ${list.slice(0, most).join(" ")}`;
  return list.length > most ? `${shown} … and ${list.length - most} more` : shown;
}
