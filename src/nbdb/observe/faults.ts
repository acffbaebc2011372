// Why what packets meet cannot be told now.

import type { SocketSession } from "../../ovsdb/index.ts";

type State = Pick<SocketSession<never>, "ready" | "failure">;

/** A line for each of the two databases that cannot be read; none: both can. */
export function faultsOf(nb: State, sb: State): readonly string[] {
  const parts = [
    ["Northbound", nb],
    ["Southbound", sb],
  ] as const;
  return parts.flatMap(([name, { ready, failure }]) =>
    ready ? [] : [`${name} database: ${failure?.message ?? "not connected yet"}`],
  );
}
