// A plan as namespaces against namespaces: which pairs have connections whose verdict differs, and the classes of one pair.
// Made from the report alone. `no pod` represents every address that no pod has. Invariant: a pair is in the matrix exactly when
// some class holds a connection from the one to the other.

import type { VerdictClass } from "./report.ts";

/** The place of what is no pod; no namespace has this name. */
export const addressesPlace = "no pod";

export interface Cell {
  readonly from: string;
  readonly to: string;
  /** How many classes hold a connection of the pair, by the verdicts: "allow → deny". */
  readonly changes: Readonly<Record<string, number>>;
}

export interface Matrix {
  /** In the order of their names, addresses last; only those with a change. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cells: readonly Cell[];
}

/** `verdicts` of a report. */
interface Changes {
  readonly changes: readonly VerdictClass[];
}

export function matrixOf({ changes }: Changes): Matrix {
  type Counted = Cell & { readonly changes: Record<string, number> };
  const rows = new Map<string, Map<string, Counted>>();
  for (const one of changes) {
    const change = changeOf(one);
    for (const { from, to } of pairsOf(one)) {
      const row = rows.get(from) ?? new Map<string, Counted>();
      rows.set(from, row);
      const cell = row.get(to) ?? { from, to, changes: {} };
      row.set(to, cell);
      cell.changes[change] = (cell.changes[change] ?? 0) + 1;
    }
  }
  const all = [...rows.values()].flatMap((row) => [...row.values()]);
  const names = (of: (cell: Cell) => string) => [...new Set(all.map(of))].sort(inOrder);
  return { from: names(({ from }) => from), to: names(({ to }) => to), cells: all };
}

/** The classes that hold a connection from the one place to the other, in their order. */
export function classesOf({ changes }: Changes, from: string, to: string): readonly VerdictClass[] {
  return changes.filter((one) => {
    const [sent, reached] = [placesOf(one.from).get(from), placesOf(one.to).get(to)];
    return sent !== undefined && reached !== undefined && hasConnection(from, sent, to, reached);
  });
}

/** Whether some of the ends are in a namespace whose name has this part, in lower case. */
export function namespaceOfEnds(ends: VerdictClass["from"], part: string): boolean {
  return Iterator.from(placesOf(ends).keys()).some((place) => place.toLowerCase().includes(part));
}

export function changeOf({ old, new: next }: VerdictClass): string {
  return `${old} → ${next}`;
}

/** The pairs of places between which the class holds a connection. */
function pairsOf(one: VerdictClass): readonly Pick<Cell, "from" | "to">[] {
  const targets = [...placesOf(one.to)];
  return [...placesOf(one.from)].flatMap(([from, sent]) =>
    targets.filter(([to, reached]) => hasConnection(from, sent, to, reached)).map(([to]) => ({ from, to })),
  );
}

/** By namespace, the pods of it; of addresses none. */
function placesOf({
  pods,
  workloads,
  addresses,
}: VerdictClass["from"]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>(Map.groupBy(pods, (key) => key.slice(0, key.indexOf("/"))));
  // Two pods of one workload have connections, as those of two have.
  for (const { kind, namespace, name } of workloads)
    places.set(namespace ?? "", [
      ...(places.get(namespace ?? "") ?? []),
      ...[1, 2].map((at) => `${kind} ${name} ${at}`),
    ]);
  if (addresses.length > 0) places.set(addressesPlace, []);
  return places;
}

/** A pod to itself and an address to an address are never meant. */
function hasConnection(
  from: string,
  sent: readonly string[],
  to: string,
  reached: readonly string[],
): boolean {
  if (from === addressesPlace || to === addressesPlace) return from !== to;
  return sent.length > 1 || reached.length > 1 || sent[0] !== reached[0];
}

function inOrder(a: string, b: string): number {
  const rank = (name: string) => (name === addressesPlace ? 1 : 0);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}
