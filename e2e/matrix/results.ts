// What `make matrix` has seen, in a file of the repository, and its table in docs/compatibility.md.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { placeBetween } from "../../scripts/support/page-part.ts";
import { axes, notRun } from "./versions.ts";

export const resultsFile = "e2e/matrix/results.json";
const repository = fileURLToPath(new URL("../..", import.meta.url));

/** All suites of an axis on one version. */
export interface MatrixRun {
  readonly part: string;
  readonly version: string;
  /** As `make matrix` is asked for it. */
  readonly name: string;
  readonly from: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** jest's exit code: 0 where all passed. */
  readonly ended: number;
  /** Files with a test that failed. */
  readonly failing: readonly string[];
  readonly files: readonly string[];
  readonly seconds: number;
  readonly load: number;
  readonly when: string;
  readonly commit: string;
  /** Files that failed and were run again later. */
  readonly again?: Again;
}

/** A later run of the failing files alone, of another commit. */
export interface Again {
  /** Those that failed again. */
  readonly failing: readonly string[];
  readonly passed: number;
  readonly when: string;
  readonly commit: string;
}

export function readResults(): readonly MatrixRun[] {
  const file = join(repository, resultsFile);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly MatrixRun[]) : [];
}

export function matrixTable(runs: readonly MatrixRun[]): string {
  const row = (...cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const heads = ["version", "from", "passed, failed, skipped", "failing", "day", "commit"];
  const version = (one: MatrixRun) => `${one.part} ${one.version}`;
  const inOrder = runs.toSorted((a, b) => version(a).localeCompare(version(b), "en", { numeric: true }));
  const lines = inOrder.map((one) =>
    row(
      ...[version(one), one.from, `${one.passed}, ${one.failed}, ${one.skipped}`],
      ...[failingOf(one), one.when.slice(0, 10), `\`${one.commit}\``],
    ),
  );
  const awaited = axes.flatMap(({ part, variable, versions }) =>
    versions
      .filter(({ name }) => !runs.some((one) => one.part === part && one.name === name))
      .map(({ name }) => [`${part} ${name}`, `no run of \`make matrix ${variable}=${name}\` yet`] as const),
  );
  const left = [...awaited, ...notRun].map(([what, why]) => row(what, `not run: ${why}`, "–", "–", "–", "–"));
  return [row(...heads), row(...heads.map(() => "---")), ...lines, ...left].join("\n");
}

function failingOf({ failing, again }: MatrixRun): string {
  const said = (file: string): string =>
    again === undefined || again.failing.includes(file)
      ? `\`${file}\``
      : `\`${file}\`, which passes with \`${again.commit}\` (${again.when.slice(0, 10)})`;
  return failing.map(said).join(", ") || "–";
}

export async function intoPage(page: string): Promise<void> {
  await placeBetween(page, "matrix", `${matrixTable(readResults())}\n`);
}
