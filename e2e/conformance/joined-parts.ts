// The parts of a run as one run: its tests together, and its time the sum of theirs.

import type { SuiteRun } from "./results.ts";

/** A part belongs to the last run of its kind that does not have it yet. Runs without parts stay as they are. */
export function joinParts(runs: readonly SuiteRun[]): readonly SuiteRun[] {
  const joined: SuiteRun[][] = [];
  for (const run of runs) {
    const last = run.part === undefined ? undefined : joined.findLast(([one]) => isAlike(one, run));
    if (last === undefined || last.some(({ part }) => part === run.part)) joined.push([run]);
    else last.push(run);
  }
  return joined.map(wholeOf);
}

function isAlike(one: SuiteRun | undefined, other: SuiteRun): boolean {
  return (
    one?.part !== undefined &&
    one.suite === other.suite &&
    one.families === other.families &&
    one.cluster === other.cluster &&
    one.program === other.program
  );
}

function wholeOf(runs: readonly SuiteRun[]): SuiteRun {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) throw new Error("a run has no parts");
  if (first.part === undefined) return first;
  const why = runs.flatMap(({ part = "", broken }) => (broken === null ? [] : [`${part}: ${broken}`]));
  const whole: { -readonly [K in keyof SuiteRun]: SuiteRun[K] } = {
    ...last,
    logs: runs.flatMap(({ logs = [] }) => logs),
    commit: [...new Set(runs.map(({ commit = "not recorded" }) => commit))].join(", "),
    seconds: runs.reduce((total, { seconds }) => total + seconds, 0),
    load: Math.max(...runs.map(({ load }) => load)),
    tests: runs.flatMap(({ tests }) => tests).sort((one, other) => (one.name < other.name ? -1 : 1)),
    broken: why.length === 0 ? null : why.join("; "),
  };
  delete whole.part;
  return whole;
}
