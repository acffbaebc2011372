// What the views of an exported page ask, and so what its file has to answer: of each view what its links lead to, up to a bound. The
// parameters are those that the page writes, in its order. A view that is to be in the file has a line in the table.

import { orderedPolicies } from "../../explain/overview.ts";
import { policyKey } from "../../policy/ir.ts";
import type { MatrixShown } from "../shown/reach.ts";
import type { Making, PlanShown } from "../shown.ts";
import type { ShownWorld } from "../world.ts";

export type Params = Readonly<Record<string, string | readonly string[]>>;
/** Answers what is asked, when it has been made; keeps it for the file. */
export type Ask = (path: string, params?: Params) => Promise<unknown>;

interface ExportedView {
  readonly name: string;
  readonly isThere: (world: ShownWorld) => boolean;
  readonly ask: (ask: Ask, world: ShownWorld) => Promise<void>;
}

const policiesOfPage = 50;
const policiesOfHome = 20;
const rulesOfPolicy = "60";
const placesOfMatrix = 30;
const mostPages = 200;
const mostWindows = 100;
const mostCells = 500;
const mostPolicies = 500;
const mostNamespaces = 500;

/** The first is shown first. */
export const exportedViews: readonly ExportedView[] = [
  { name: "home", isThere: () => true, ask: askHome },
  { name: "order", isThere: () => true, ask: askOrder },
  { name: "plan", isThere: ({ plan }) => plan !== null, ask: askPlan },
  { name: "policy", isThere: () => true, ask: askPolicies },
  { name: "namespace", isThere: () => true, ask: askNamespaces },
];

function keysOf({ asked }: ShownWorld): readonly string[] {
  return orderedPolicies(asked).map(({ policy }) => policyKey(policy.ref));
}

async function askHome(ask: Ask, { findings, matrix }: ShownWorld): Promise<void> {
  const board = (await ask("board")) as {
    readonly tiers: readonly { readonly policies: readonly { readonly key: string }[] }[];
  };
  const keys = board.tiers.flatMap(({ policies }) => policies.map(({ key }) => key));
  if (findings !== null)
    for (let at = 0; at === 0 || at < keys.length; at += policiesOfHome)
      await ask("findings", { policy: keys.slice(at, at + policiesOfHome) });
  if (matrix !== null) await askMatrix(ask);
}

/** Row by row, and of each the columns; then cells. */
async function askMatrix(ask: Ask): Promise<void> {
  const windows: MatrixShown[] = [];
  for (let from = 0, to = 0; windows.length < mostWindows;) {
    const part = { q: "", from: String(from), to: String(to), limit: String(placesOfMatrix) };
    const window = (await ask("matrix", part)) as MatrixShown;
    windows.push(window);
    if (to + placesOfMatrix < window.total) to += placesOfMatrix;
    else [from, to] = [from + placesOfMatrix, 0];
    if (from >= window.total) break;
  }
  const cells = windows.flatMap(({ columns, rows }) =>
    rows.flatMap(({ place, cells: reaches }) =>
      columns.flatMap((column, at) =>
        (reaches[at] ?? null) === null ? [] : [[place.name, column.name] as const],
      ),
    ),
  );
  for (const [from, to] of cells.slice(0, mostCells)) await ask("matrix/cell", { from, to });
}

async function askOrder(ask: Ask, world: ShownWorld): Promise<void> {
  const keys = keysOf(world);
  const pages = Math.min(mostPages, Math.max(1, Math.ceil(keys.length / policiesOfPage)));
  for (let page = 0; page < pages; page++) {
    const offset = page * policiesOfPage;
    const limit = String(policiesOfPage);
    await ask("policies", { q: "", offset: String(offset), limit, trouble: "", tier: "" });
    const policy = keys.slice(offset, offset + policiesOfPage);
    if (world.findings !== null) await ask("findings", { policy });
  }
}

async function askPlan(ask: Ask): Promise<void> {
  let left = mostCells;
  for (const becomes of ["", "deny", "allow", "unknown"]) {
    const part: Params = becomes === "" ? {} : { becomes };
    const windows = await windowsOf(ask, part);
    const cells = windows.flatMap(({ matrix }) => matrix.cells).slice(0, left);
    for (const { from, to } of cells) await ask("plan/classes", { ...part, from, to });
    left -= cells.length;
  }
}

/** Of the part; row by row, and of each the columns. */
async function windowsOf(ask: Ask, part: Params): Promise<readonly PlanShown[]> {
  const windows: PlanShown[] = [];
  const at = (row: number, column: number): Params => ({
    ...part,
    ...(row === 0 ? {} : { row: String(row) }),
    ...(column === 0 ? {} : { column: String(column) }),
  });
  let row = 0;
  let column = 0;
  while (windows.length < mostWindows) {
    const window = (await ask("plan", at(row, column))) as PlanShown | Making;
    if (window.isMaking) break;
    windows.push(window);
    const { totals, size } = window.matrix;
    if (column + size.columns < totals.to) column += size.columns;
    else [row, column] = [row + size.rows, 0];
    if (row >= totals.from) break;
  }
  return windows;
}

async function askPolicies(ask: Ask, world: ShownWorld): Promise<void> {
  for (const policy of keysOf(world).slice(0, mostPolicies)) {
    await ask("policy", { policy, offset: "0", limit: rulesOfPolicy });
    if (world.findings !== null) await ask("findings", { policy: [policy] });
  }
}

async function askNamespaces(ask: Ask, { facts, matrix }: ShownWorld): Promise<void> {
  const names = [...facts.namespaces.keys()].sort().slice(0, mostNamespaces);
  for (const namespace of names) {
    await ask("namespace", { namespace });
    if (matrix !== null) await ask("matrix/of", { namespace });
  }
}
