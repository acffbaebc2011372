// The answers that an exported page has in its file. Waits for what takes long, so that nothing in the file is still being made.

import { answer } from "../api.ts";
import type { ShownWorld } from "../world.ts";
import type { Ask, Params } from "./questions.ts";
import { exportedViews } from "./questions.ts";

export interface ExportedAnswers {
  /** The views that are in it, the first of which is shown first. */
  readonly views: readonly string[];
  /** By what the page asks: the path behind `api/`, with its query. */
  readonly answers: Readonly<Record<string, unknown>>;
}

const waitMs = 200;
const mostTries = 5;

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
