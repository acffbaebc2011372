// Reads what Cyclonus prints: the list of its cases, each case as it ends, and the table of all cases at the end, which has
// the verdicts of each try of each step. The table decides. Invariant: a case that was listed and is not in the table failed, and a step
// that passed at a later try did not pass.

import type { Outcome, SuiteOutput, TestResult } from "./results.ts";

/** One try of one step, as the table has it. */
interface Try {
  readonly step: number;
  /** Pairs of pods with a connection that was not what Cyclonus' model says, and the other pairs. */
  readonly wrong: number;
  readonly right: number;
  readonly connections: { readonly wrong: number; readonly of: number };
}

interface Row {
  readonly number: number;
  readonly outcome: string;
  readonly tries: Try[];
}

/** `numbers`: of its cases in the whole, in their order, when it is a part; else they are the whole. */
export function parseCyclonus(output: string, numbers: readonly number[] | null = null): SuiteOutput {
  const listed = [...output.matchAll(/^test #(\d+): (.*)$/gm)].map(([, number, description = ""]) => {
    return { number: Number(number), name: nameOf(Number(number), description, numbers) };
  });
  const announced = /^testing (\d+) cases$/m.exec(output)?.[1];
  const rows = new Map(readTable(output).map((row) => [row.number, row]));
  const said = wordsOfCases(output);
  const tests = listed
    .filter(({ number }) => rows.has(number) || said.has(number))
    .map(({ number, name }) => testOf(name, rows.get(number), said.get(number) ?? ""));
  const expected = numbers?.length ?? null;
  return {
    tests,
    broken: whyBroken(output, announced === undefined ? null : Number(announced), expected, rows),
  };
}

/** For who watches: from lines of one run to the cases that they end. */
export function cyclonusProgress(
  numbers: readonly number[] | null = null,
): (line: string) => { name: string; outcome: Outcome } | null {
  const names = new Map<string, string>();
  let wrong = false;
  return (line) => {
    const [isListed, listed = "", description = ""] = /^test #(\d+): (.*)$/.exec(line) ?? [];
    if (isListed !== undefined) names.set(listed, nameOf(Number(listed), description, numbers));
    if (line.startsWith("starting test case #")) wrong = false;
    wrong ||= line.startsWith("Discrepancy found:");
    const [ends, number = ""] = /^finished policy #(\d+)$/.exec(line) ?? [];
    return ends === undefined
      ? null
      : { name: names.get(number) ?? number, outcome: wrong ? "failed" : "passed" };
  };
}

/** Some descriptions are those of several cases; the number makes a name of them. */
function nameOf(number: number, description: string, numbers: readonly number[] | null): string {
  const inAll = numbers === null ? number : (numbers[number - 1] ?? 0);
  return `${String(inAll).padStart(3, "0")} ${description.trim()}`;
}

function testOf(name: string, row: Row | undefined, output: string): TestResult {
  const tries = row?.tries ?? [];
  const verdicts = {
    wrong: sum(tries.map(({ connections }) => connections.wrong)),
    of: sum(tries.map(({ connections }) => connections.of)),
  };
  const areRight = tries.every(({ wrong, right, connections }) => {
    return wrong === 0 && right > 0 && connections.wrong === 0 && connections.of > 0;
  });
  const passed = row?.outcome === "passed" && tries.length > 0 && areRight;
  return {
    ...{ name, outcome: passed ? "passed" : "failed", seconds: null, output },
    verdicts,
    failedParts: tries
      .filter((one) => one.wrong > 0)
      .map((one) => `step ${one.step}: ${one.wrong} of ${one.wrong + one.right} pairs of pods are wrong`),
  };
}

/** What was printed from the beginning of each case to its end, by the case's number. */
function wordsOfCases(output: string): ReadonlyMap<number, string> {
  const parts = output.split(/^starting test case #(\d+)$/m);
  const words = new Map<number, string>();
  for (let at = 1; at < parts.length; at += 2)
    words.set(Number(parts[at]), (parts[at + 1] ?? "").split(/^finished policy #\d+$/m)[0] ?? "");
  return words;
}

/** The rows between its rules; a cell of several lines is one text again. */
function readTable(output: string): readonly Row[] {
  const table = output.split(/^SummaryTable:$/m)[1];
  if (table === undefined) return [];
  const rows: Row[] = [];
  let cells: string[] = [];
  for (const line of table.split("\n").slice(1)) {
    if (line.startsWith("|")) {
      const texts = line.split("|").slice(1, -1);
      cells = texts.map((text, at) => `${cells[at] ?? ""} ${text.trim()}`.trim());
    } else if (line.startsWith("+")) {
      addRow(rows, cells);
      cells = [];
    } else break;
  }
  return rows;
}

function addRow(rows: Row[], cells: readonly string[]): void {
  const [title = "", outcome = "", step = "", wrong, right, , ...protocols] = cells;
  const [isCase, number] = /^(\d+): /.exec(title) ?? [];
  if (isCase !== undefined) rows.push({ number: Number(number), outcome, tries: [] });
  const [isTry, of] = /^Step (\d+), try \d+$/.exec(step) ?? [];
  if (isTry !== undefined)
    rows.at(-1)?.tries.push({
      ...{ step: Number(of), wrong: Number(wrong), right: Number(right) },
      connections: connectionsOf(protocols),
    });
}

/** Of cells such as "116 / 144 (80%)": how many were right, of how many; "-" is a protocol without a connection. */
function connectionsOf(cells: readonly string[]): Try["connections"] {
  const counts = cells.flatMap((text) => {
    const [isCount, right, of] = /^(\d+) \/ (\d+) /.exec(text) ?? [];
    return isCount === undefined ? [] : [{ wrong: Number(of) - Number(right), of: Number(of) }];
  });
  return { wrong: sum(counts.map(({ wrong }) => wrong)), of: sum(counts.map(({ of }) => of)) };
}

function whyBroken(
  output: string,
  announced: number | null,
  expected: number | null,
  rows: ReadonlyMap<number, unknown>,
): string | null {
  const fatal = /^(?:panic: .*|.*level=fatal.*)$/m.exec(output)?.[0];
  if (fatal !== undefined) return fatal;
  if (announced === null) return "it did not say how many cases it has";
  if (announced === 0) return "it has no such case";
  if (expected !== null && announced !== expected)
    return `it has ${announced} cases of this part, not ${expected}`;
  if (!/^SummaryTable:$/m.test(output)) return "it ended without its table";
  return rows.size === announced ? null : `its table has ${rows.size} of ${announced} cases`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
