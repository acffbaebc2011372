// What the views of an exported page ask, and so what its file has to answer: of each view what its links lead to, up to a bound. The
// parameters are those that the page writes, in its order. A view that is to be in the file has a line in the table.

import { NoSuchEnd, textOfWorkload } from "../../analysis/end-query.ts";
import { endOfGroup, podGroupOf } from "../../analysis/pod-groups.ts";
import type { AskedWorld } from "../../explain/asked.ts";
import { orderedPolicies } from "../../explain/overview.ts";
import { policyKey } from "../../policy/ir.ts";
import type { MatrixShown } from "../shown/reach.ts";
import type { EndShown } from "../shown/end.ts";
import type { NamespaceShown } from "../shown/namespace.ts";
import type { Making, PlanShown, PodShown } from "../shown.ts";
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
const policiesOfPod = 200;
const placesOfMatrix = 30;
const mostPages = 200;
const mostWindows = 100;
const mostCells = 500;
const mostPolicies = 500;
const mostNamespaces = 500;
const mostGraphs = 100;
const mostEnds = 200;

/** The first is shown first. */
export const exportedViews: readonly ExportedView[] = [
  { name: "home", isThere: () => true, ask: askHome },
  { name: "order", isThere: () => true, ask: askOrder },
  { name: "plan", isThere: ({ plan }) => plan !== null, ask: askPlan },
  { name: "policy", isThere: () => true, ask: askPolicies },
  { name: "namespace", isThere: () => true, ask: askNamespaces },
  { name: "workload", isThere: () => true, ask: askWorkloads },
  { name: "service", isThere: () => true, ask: askServices },
];

function keysOf({ asked }: ShownWorld): readonly string[] {
  return orderedPolicies(asked).map(({ policy }) => policyKey(policy.ref));
}

async function askHome(ask: Ask, { findings }: ShownWorld): Promise<void> {
  const board = (await ask("board")) as {
    readonly tiers: readonly { readonly policies: readonly { readonly key: string }[] }[];
  };
  const keys = board.tiers.flatMap(({ policies }) => policies.map(({ key }) => key));
  if (findings !== null)
    for (let at = 0; at === 0 || at < keys.length; at += policiesOfHome)
      await ask("findings", { policy: keys.slice(at, at + policiesOfHome) });
  await askMatrix(ask);
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

async function askNamespaces(ask: Ask, { facts }: ShownWorld): Promise<void> {
  const names = [...facts.namespaces.keys()].sort().slice(0, mostNamespaces);
  let graphs = 0;
  for (const namespace of names) {
    const { groups, workloads } = (await ask("namespace", { namespace })) as NamespaceShown;
    await ask("matrix/of", { namespace });
    if (groups.total + workloads.total > 0 && graphs++ < mostGraphs)
      await ask("namespace/graph", { namespace });
  }
}

async function askWorkloads(ask: Ask, world: ShownWorld): Promise<void> {
  const groups = Iterator.from(world.facts.pods.values()).map((pod) => endOfGroup(podGroupOf(pod)));
  const ends = new Set([...groups, ...world.asked.workloads.map(textOfWorkload)]);
  await askEnds(ask, world, [...ends].filter((end) => end !== null).sort());
}

async function askServices(ask: Ask, world: ShownWorld): Promise<void> {
  const ends = world.asked.services.map(({ namespace, name }) => `${namespace}/svc/${name}`);
  await askEnds(ask, world, ends.sort());
}

/** What the page of each asks; one of which no pod is known is left out. */
async function askEnds(ask: Ask, world: ShownWorld, ends: readonly string[]): Promise<void> {
  const { findings, asked } = world;
  for (const end of ends.slice(0, mostEnds)) {
    if (!hasPods(asked, end)) continue;
    const { sample, why } = (await ask("end", { end })) as EndShown;
    if (why === null) await ask("end/reach", { end });
    if (sample === null) continue;
    const { egress, ingress } = (await ask("pod", { pod: sample.end })) as PodShown;
    const policy = [...new Set([...egress, ...ingress].map((rule) => policyKey(rule.policy)))];
    if (findings !== null) await ask("findings", { policy: policy.slice(0, policiesOfPod) });
  }
}

function hasPods(asked: AskedWorld, end: string): boolean {
  try {
    asked.endNamed(end);
    return true;
  } catch (error) {
    if (error instanceof NoSuchEnd) return false;
    throw error;
  }
}
