// `make mutants [ONLY=name,…] [JUDGES=unit,rows,…] [OUT=file.json]`: plants one mistake after another in a copy of the sources
// and asks every judge apart from the others whether it sees it. First nobody may object to the sources as they are.
// Exit codes: 0 every mutant is caught, 1 one survives or a judge is not content with the sources as they are, 2 an
// argument is wrong or the list does not fit the sources, 3 no OVN to be had.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findOvn, OvnMissingError } from "../tools/sandbox/find-ovn.ts";
import { mutants } from "../test/mutants/list.ts";
import type { Mutant } from "../test/mutants/mutant.ts";
import { planted, StaleMutantError } from "../test/mutants/mutant.ts";
import { measureSlowness, slownessVariable } from "../test/support/patience.ts";
import { keepCachesInClone } from "./support/caches.ts";
import { judges as everyJudge } from "./support/judges.ts";
import type { Row } from "./support/mutants-table.ts";
import { caughtBy, marks, terminalTable, writeDocument } from "./support/mutants-table.ts";
import type { Judge, Verdict } from "./support/workshop.ts";
import { Workshop } from "./support/workshop.ts";

const usage = `make mutants [ONLY=name,…] [JUDGES=${everyJudge.map(({ name }) => name).join(",")}] [OUT=file.json]

Plants ${mutants.length} mistakes, one after another, in a copy of the sources, and says which judge sees which.
  ONLY    some of them, by name; an unknown name lists all
  JUDGES  some of the judges
  OUT     also writes the verdicts there, as JSON
A run of all mutants before all judges writes the table in docs/mutants.md. It takes about half an hour.
`;

// Before the judges themselves make the machine busy.
process.env[slownessVariable] ??= String(measureSlowness());

const repository = fileURLToPath(new URL("../", import.meta.url));
const document = join(repository, "docs/mutants.md");
/** At a time. */
const places = 2;
/** Written whenever a mutant is judged. */
const out = process.env["OUT"] ?? "";

class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Those that a variable names, in its order; all when it names none. */
function chosen<T extends { readonly name: string }>(variable: string, all: readonly T[]): readonly T[] {
  const names = (process.env[variable] ?? "").split(",").filter((name) => name !== "");
  if (names.length === 0) return all;
  return [...new Set(names)].map((name) => {
    const found = all.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new UsageError(`${variable}=${name}: none of\n  ${all.map((one) => one.name).join("\n  ")}`);
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Works the tasks off, in order, in as many workshops as there are. */
async function share<T>(
  workshops: readonly Workshop[],
  tasks: readonly T[],
  work: (workshop: Workshop, task: T) => Promise<void>,
): Promise<void> {
  const waiting = [...tasks];
  await Promise.all(
    workshops.map(async (workshop) => {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await work(workshop, task);
    }),
  );
}

/** Nobody may object to the sources as they are, and everybody must have looked. */
async function control(
  workshops: readonly Workshop[],
  judges: readonly Judge[],
  list: readonly Mutant[],
): Promise<boolean> {
  const files = [...new Set(list.map(({ file }) => file))];
  let content = true;
  const asked = judges.filter(({ tests }) => tests(files) !== null);
  await share(workshops, asked, async (workshop, judge) => {
    const verdict = await workshop.ask(judge, files);
    const fine = verdict.kind === "content" && verdict.tests > 0;
    content &&= fine;
    say(`   unchanged, ${judge.name}: ${fine ? "content" : `NOT CONTENT: ${JSON.stringify(verdict)}`}`);
  });
  return content;
}

async function judge(
  workshops: readonly Workshop[],
  judges: readonly Judge[],
  list: readonly Mutant[],
): Promise<readonly Row[]> {
  const rows = new Map<Mutant, Row>();
  await share(workshops, list, async (workshop, mutant) => {
    const verdicts = new Map<string, Verdict>();
    await workshop.withMistake(mutant, async () => {
      for (const one of judges) verdicts.set(one.name, await workshop.ask(one, [mutant.file]));
    });
    rows.set(mutant, { mutant, verdicts });
    if (out !== "") writeJson(out, [...rows.values()]);
    const said = [...verdicts].map(([name, { kind }]) => `${name} ${marks[kind]}`).join(", ");
    say(`   ${rows.size} of ${list.length}: ${mutant.name}: ${said}`);
  });
  return list.map((mutant) => rows.get(mutant)).filter((row) => row !== undefined);
}

function writeJson(path: string, rows: readonly Row[]): void {
  const objects = rows.map(({ mutant: { name, area, file, harm }, verdicts }) => {
    return { name, area, file, harm, verdicts: Object.fromEntries(verdicts) };
  });
  writeFileSync(path, `${JSON.stringify(objects, null, 2)}\n`);
}

/** Says what the run came to; returns the exit code. */
function summedUp(rows: readonly Row[], seconds: number): number {
  const survivors = rows.filter((row) => caughtBy(row).length === 0);
  const single = rows.filter((row) => caughtBy(row).length === 1);
  const silent = rows.flatMap(({ mutant, verdicts }) =>
    [...verdicts].flatMap(([name, verdict]) =>
      verdict.kind === "no verdict" ? [`no verdict on ${mutant.name} by ${name}: ${verdict.why}`] : [],
    ),
  );
  for (const line of silent) say(line);
  for (const row of single) say(`caught by ${caughtBy(row).join()} alone: ${row.mutant.name}`);
  for (const { mutant } of survivors) say(`SURVIVES: ${mutant.name} (${mutant.file}): ${mutant.harm}`);
  say(`${rows.length - survivors.length} of ${rows.length} mutants caught, ${Math.round(seconds)} s`);
  return survivors.length + silent.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  if (process.argv.includes("--help")) {
    process.stdout.write(usage);
    return 0;
  }
  keepCachesInClone();
  const list = chosen("ONLY", mutants);
  const judges = chosen("JUDGES", everyJudge);
  for (const mutant of mutants) planted(mutant, readFileSync(join(repository, mutant.file), "utf8"));
  const { version } = await findOvn();
  const names = judges.map(({ name }) => name);
  say(`${list.length} mutants before ${names.join(", ")}`);

  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "northgate-mutants-"));
  const workshops = Array.from({ length: places }, (_, at) => new Workshop(join(folder, String(at))));
  const tidy = (): void => {
    for (const workshop of workshops) workshop.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      tidy();
      process.exit(130);
    });
  try {
    if (!(await control(workshops, judges, list))) return 1;
    const rows = await judge(workshops, judges, list);
    say(`\n${terminalTable(rows, names)}\n`);
    const under = `${rows.length} mutants, OVN ${version}, Node ${process.versions.node}; \`make mutants\` runs them again.`;
    if (list.length === mutants.length && judges.length === everyJudge.length)
      await writeDocument(document, rows, names, under);
    return summedUp(rows, (performance.now() - started) / 1000);
  } finally {
    tidy();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const known = error instanceof UsageError || error instanceof StaleMutantError;
  if (!known && !(error instanceof OvnMissingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = known ? 2 : 3;
}
