// One run of a suite on a cluster that runs, whole or a part of it: its program, what it said read, and the tests that lost a race run
// again.

import { join } from "node:path";
import { load } from "../../scripts/support/measuring.ts";
import { casesOfCyclonus, numbersOf, type Part } from "./cyclonus-parts.ts";
import type { SuiteName } from "./programs.ts";
import { sha256Of } from "./provenance.ts";
import type { Log, SuiteRun, SuiteTest, TestResult } from "./results.ts";
import { runSuite } from "./suite-process.ts";
import { mayRunAgain, outputOf, progressOf } from "./suites.ts";

/** How often a test that lost a race is run again, at most. */
const mostAgain = 3;

export interface Judged {
  readonly kubeconfig: string;
  readonly suite: SuiteName;
  /** Names its files. */
  readonly name: string;
  /** Where they go. */
  readonly folder: string;
  /** As in suite-process.ts; null: all. */
  readonly only: readonly string[] | null;
  /** Of Cyclonus; null: what `only` says. */
  readonly part: Part | null;
  readonly tell: (line: string) => void;
}

/** What it is of, its cluster and its program, whoever asks says. */
export async function judge(
  judged: Judged,
): Promise<Omit<SuiteRun, "families" | "cluster" | "commit" | "program">> {
  const { kubeconfig, suite, name, folder, only, part, tell } = judged;
  const numbers = part === null ? null : numbersOf(part, casesOfCyclonus());
  const progress = progressOf(suite, numbers);
  const end = await runSuite(kubeconfig, suite, {
    ...{ folder, name },
    ...(only === null ? {} : { only }),
    ...(part === null ? {} : { tags: part }),
    heard: (line) => {
      const ended = progress(line);
      if (ended !== null) tell(`${name}: ${ended.outcome} ${ended.name}`);
    },
  });
  const { tests, broken } = outputOf(suite, end, numbers);
  const again: SuiteTest[] = [];
  for (const test of tests) again.push({ ...test, again: await runAgain(judged, test) });
  const late = again.flatMap((test) => test.again.map((_, at) => nameOfAgain(name, test, at + 1)));
  return {
    suite,
    ...(part === null ? {} : { part: part.name }),
    logs: [name, ...late].map((one) => logOf(folder, `${one}.log`)),
    when: new Date().toISOString(),
    ...{ seconds: end.seconds, load: load(), tests: again, broken },
  };
}

/** Only while each failure is the race that the suite is known for, and until the test passes. */
async function runAgain(
  { kubeconfig, suite, name: whole, folder, tell }: Judged,
  test: TestResult,
): Promise<readonly TestResult[]> {
  const again: TestResult[] = [];
  while (again.length < mostAgain && mayRunAgain(suite, again.at(-1) ?? test)) {
    const name = nameOfAgain(whole, test, again.length + 1);
    const end = await runSuite(kubeconfig, suite, { folder, name, only: [test.name] });
    const { tests, broken } = outputOf(suite, end);
    const one = tests.find((result) => result.name === test.name);
    if (one === undefined) throw new Error(`${test.name} was run again and said nothing: ${broken ?? ""}`);
    tell(`${whole}: ${one.outcome} ${one.name}, again (${again.length + 1})`);
    again.push(one);
  }
  return again;
}

function nameOfAgain(whole: string, { name }: TestResult, number: number): string {
  return `${whole}-${name}-again-${number}`;
}

function logOf(folder: string, name: string): Log {
  return { name, sha256: sha256Of(join(folder, name)) };
}
