// The answers that a page has which is exported into a file: of each view those that its links lead to, up to a bound. A view that
// is to be in the file has a line in the table. Waits for what takes long, so that nothing in the file is still being made.

import { orderedPolicies } from "../explain/overview.ts";
import { policyKey } from "../policy/ir.ts";
import { answer } from "./api.ts";
import type { Making, PlanShown } from "./shown.ts";
import type { ShownWorld } from "./world.ts";

export interface ExportedAnswers {
  /** The views that are in it, the first of which is shown first. */
  readonly views: readonly string[];
  /** By what the page asks: the path behind `api/`, with its query. */
  readonly answers: Readonly<Record<string, unknown>>;
}

type Params = Readonly<Record<string, string | readonly string[]>>;
/** Answers what is asked, when it has been made; keeps it for the file. */
type Ask = (path: string, params?: Params) => Promise<unknown>;

interface ExportedView {
  readonly name: string;
  readonly isThere: (world: ShownWorld) => boolean;
  readonly ask: (ask: Ask, world: ShownWorld) => Promise<void>;
}

const policiesOfPage = 50;
const mostPages = 200;
const mostWindows = 100;
const mostCells = 500;
const waitMs = 200;
const mostTries = 5;

const exportedViews: readonly ExportedView[] = [
  { name: "order", isThere: () => true, ask: askOrder },
  { name: "plan", isThere: ({ plan }) => plan !== null, ask: askPlan },
];

/**
 * Of one revision; of a world that is another each time, of the last ones. `wait`: resolves after so many milliseconds. Throws an
 * Error of one sentence when something cannot be made.
 */
export async function exportedAnswers(world: ShownWorld, wait: Wait): Promise<ExportedAnswers> {
  for (let tries = 1; ; tries++) {
    const { revision } = world;
    const made = await answersOfNow(world, wait);
    if (revision === world.revision || tries === mostTries) return made;
  }
}

type Wait = (ms: number) => Promise<void>;

async function answersOfNow(world: ShownWorld, wait: Wait): Promise<ExportedAnswers> {
  const answers: Record<string, unknown> = {};
  const ask: Ask = async (path, params = {}) => {
    const query = queryOf(params);
    const body = await answered(world, path, query, wait);
    const text = query.toString();
    answers[text === "" ? path : `${path}?${text}`] = body;
    return body;
  };
  const views = exportedViews.filter(({ isThere }) => isThere(world));
  for (const view of views) await view.ask(ask, world);
  await ask("state");
  return { views: views.map(({ name }) => name), answers };
}

function queryOf(params: Params): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const one of typeof value === "string" ? [value] : value) query.append(name, one);
  return query;
}

async function answered(
  world: ShownWorld,
  path: string,
  query: URLSearchParams,
  wait: Wait,
): Promise<unknown> {
  for (;;) {
    const { status, body } = answer(world, `/api/${path}`, query) ?? { status: 404, body: null };
    if (status !== 200) throw new Error(`${path}: ${errorIn(body)}`);
    if (!isMaking(body)) return body;
    await wait(waitMs);
  }
}

function isMaking(body: unknown): boolean {
  return typeof body === "object" && body !== null && "isMaking" in body && body.isMaking === true;
}

function errorIn(body: unknown): string {
  return typeof body === "object" && body !== null && "error" in body ? String(body.error) : "no answer";
}

async function askOrder(ask: Ask, { asked, findings }: ShownWorld): Promise<void> {
  const keys = orderedPolicies(asked).map(({ policy }) => policyKey(policy.ref));
  const pages = Math.min(mostPages, Math.max(1, Math.ceil(keys.length / policiesOfPage)));
  for (let page = 0; page < pages; page++) {
    const offset = page * policiesOfPage;
    const limit = String(policiesOfPage);
    await ask("policies", { q: "", offset: String(offset), limit });
    const policy = keys.slice(offset, offset + policiesOfPage);
    if (findings !== null) await ask("findings", { policy });
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
