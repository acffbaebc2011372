// The names that a user may have meant instead of one that nothing has: pods, workloads, Services and nodes, each as it can be asked
// for. The nearest three are given: those of the same name elsewhere and those that the name begins, then by letters to change.

import { editsBetween } from "../lib/nearest.ts";
import { quote } from "../model/quote.ts";

export interface KnownName {
  /** null: it is in none. */
  readonly namespace: string | null;
  readonly name: string;
  /** As it is asked for. */
  readonly text: string;
  /** Equal for names of one sort: `pod`, `deploy`. */
  readonly sort: string;
}

const shown = 3;

/** `asked` has no text: it is nobody's. "" where nothing is near. */
export function suggestion(asked: Omit<KnownName, "text">, known: Iterable<KnownName>): string {
  const near = Iterator.from(known)
    .map((one) => ({ text: one.text, far: distance(asked, one) }))
    .filter(({ far }) => far < Infinity)
    .toArray()
    .sort((a, b) => a.far - b.far || (a.text < b.text ? -1 : 1))
    .slice(0, shown)
    .map(({ text }) => quote(text));
  if (near.length === 0) return "";
  return `; did you mean ${near.length === 1 ? near.join("") : `${near.slice(0, -1).join(", ")} or ${near.at(-1) ?? ""}`}?`;
}

/** Infinity: nobody meant it. */
function distance(asked: Omit<KnownName, "text">, { namespace, name, sort }: KnownName): number {
  const other = asked.sort === sort ? 0 : 0.5;
  const elsewhere =
    asked.namespace === namespace ? 0 : lettersBetween(asked.namespace ?? "", namespace ?? "");
  if (asked.name === name) return other + Math.min(elsewhere, 3);
  // Pods and ReplicaSets are called after what makes them.
  if (name.startsWith(`${asked.name}-`)) return other + (elsewhere < Infinity ? elsewhere : 3) + 0.25;
  return other + elsewhere + lettersBetween(asked.name, name) + 1;
}

function lettersBetween(asked: string, name: string): number {
  const most = Math.max(1, Math.floor(asked.length / 3));
  if (Math.abs(asked.length - name.length) > most) return Infinity;
  const edits = editsBetween(asked, name);
  return edits <= most ? edits : Infinity;
}
