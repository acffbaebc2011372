// The names that a user may have meant instead of one that nothing has: pods, workloads, Services and nodes, each as it can be asked
// for. The nearest three are given: those of the same name elsewhere and those that the name begins, then by letters to change. The end
// of a pod's name is chosen by what makes the pod, so it need not be near.

import { lettersBetween } from "../lib/text/nearest.ts";
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
  return nearestThree(Iterator.from(known).map((one) => ({ text: one.text, far: distance(asked, one) })));
}

/** As `suggestion`, of what was found near. */
export function nearestThree(found: Iterable<{ readonly text: string; readonly far: number }>): string {
  const near = Iterator.from(found)
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
  const made = 0.5 + lettersBetweenAny(beginningsOf(asked), beginningsOf({ name, sort }));
  return other + elsewhere + Math.min(lettersBetween(asked.name, name), made) + 1;
}

/** `web-5f8c-a` is called after `web-5f8c` and `web`. */
function beginningsOf({ name, sort }: Pick<KnownName, "name" | "sort">): readonly string[] {
  if (sort !== "pod") return [name];
  const parts = name.split("-");
  return [parts.slice(0, -1), parts.slice(0, -2)].map((some) => some.join("-")).filter((text) => text !== "");
}

function lettersBetweenAny(asked: readonly string[], names: readonly string[]): number {
  return Math.min(Infinity, ...asked.flatMap((one) => names.map((other) => lettersBetween(one, other))));
}
