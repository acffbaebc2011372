// Objects of kinds that are not read, found among manifests: one note counts them all by kind. That is no finding: a
// folder or a dump of a cluster holds much that is no business of a policy controller.

import { printable } from "../model/quote.ts";

/** Kinds that the note names, the most frequent first. */
const shownKinds = 10;
const maxKind = 80;

/** `kinds`: one text for each object, as `Deployment.apps`. null: there is none. */
export function ignoredNote(kinds: readonly string[]): string | null {
  if (kinds.length === 0) return null;
  const counts = [...Map.groupBy(kinds, (kind) => kind)]
    .map(([kind, { length }]) => [kind, length] as const)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const shown = counts.slice(0, shownKinds).map(([kind, count]) => `${count} ${printable(kind, maxKind)}`);
  const more = counts.length - shown.length;
  const rest = more === 0 ? [] : [`and ${more} more kinds`];
  const objects = kinds.length === 1 ? "1 object" : `${kinds.length} objects`;
  return `${objects} of kinds that Northgate does not read: ${[...shown, ...rest].join(", ")}`;
}
