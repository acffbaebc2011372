// Reads what `go test -v` prints, of a suite that is one test with a subtest for each of its tests: plain, or with the marks
// of -test.v=test2json, which no test's output can be taken for. Refuses nothing: what is not a frame is output.

import type { Outcome, SuiteOutput, TestResult } from "./results.ts";

const mark = "\u0016";
const outcomes: Readonly<Record<string, Outcome>> = { PASS: "passed", FAIL: "failed", SKIP: "skipped" };

interface Draft {
  outcome: Outcome | null;
  seconds: number | null;
  readonly lines: string[];
  readonly failedParts: string[];
}

/** The subtests of `top`, in the order in which they began. */
export function parseGoTest(output: string, top: string): SuiteOutput {
  const reader = new Reader(top);
  // A mark may stand behind what a test printed without an end of the line.
  const isMarked = output.includes(mark);
  for (const line of output.split(isMarked ? new RegExp(`\\n|(?=${mark})`) : "\n")) {
    if (!isMarked) reader.take(line, true);
    else if (line.startsWith(mark)) reader.take(line.slice(mark.length), true);
    else reader.take(line, false);
  }
  return reader.end();
}

/** For who watches marked output: the name and outcome of the suite's test that this line ends; null: it ends none. */
export function goTestProgress(line: string): { name: string; outcome: Outcome } | null {
  const [, word = "", path = ""] = line.startsWith(mark)
    ? (frameOfResult.exec(line.slice(mark.length)) ?? [])
    : [];
  const [, name, ...deeper] = path.split("/");
  const outcome = outcomes[word];
  return name !== undefined && deeper.length === 0 && outcome !== undefined ? { name, outcome } : null;
}

const frameOfName = /^=== (?:RUN|NAME|CONT|PAUSE) +(\S*)/;
const frameOfResult = /^ *--- (PASS|FAIL|SKIP): (\S+) \((\d+(?:\.\d+)?)s\)$/;

class Reader {
  readonly #top: string;
  readonly #drafts = new Map<string, Draft>();
  /** Of the suite itself: what it says before, between and behind its tests. */
  readonly #own: Draft = { outcome: null, seconds: null, lines: [], failedParts: [] };
  #current: Draft = this.#own;
  #hasBegun = false;

  constructor(top: string) {
    this.#top = top;
  }

  take(line: string, mayFrame: boolean): void {
    if (!mayFrame) {
      this.#current.lines.push(line);
      return;
    }
    const [isName, name] = frameOfName.exec(line) ?? [];
    if (isName !== undefined) {
      this.#current = this.#draftOf(name ?? "");
      return;
    }
    const [isResult, word = "", path = "", seconds] = frameOfResult.exec(line) ?? [];
    if (isResult === undefined) this.#current.lines.push(line);
    else this.#result(path, outcomes[word] ?? "failed", Number(seconds));
  }

  #result(path: string, outcome: Outcome, seconds: number): void {
    const draft = this.#draftOf(path);
    const parts = path.split("/").slice(2).join("/");
    if (parts === "") Object.assign(draft, { outcome, seconds });
    else if (outcome === "failed") draft.failedParts.push(parts);
    // What comes without a name belongs to whoever ended, until another is named.
    this.#current = draft;
  }

  #draftOf(path: string): Draft {
    const [first, name] = path.split("/");
    this.#hasBegun ||= first === this.#top;
    if (first !== this.#top || name === undefined) return this.#own;
    const draft = this.#drafts.get(name) ?? { outcome: null, seconds: null, lines: [], failedParts: [] };
    this.#drafts.set(name, draft);
    return draft;
  }

  end(): SuiteOutput {
    const tests = [...this.#drafts].map(([name, { outcome, seconds, lines, failedParts }]): TestResult => {
      return { name, outcome: outcome ?? "failed", seconds, output: lines.join("\n"), failedParts };
    });
    return { tests, broken: this.#whyBroken(tests) };
  }

  #whyBroken(tests: readonly TestResult[]): string | null {
    const unended = tests.find(({ seconds }) => seconds === null);
    const panic = [this.#own, ...this.#drafts.values()]
      .flatMap(({ lines }) => lines)
      .find((line) => line.startsWith("panic: "));
    if (panic !== undefined) return panic;
    if (!this.#hasBegun) return `there is no ${this.#top} in its output`;
    if (unended !== undefined) return `${unended.name} began and did not end`;
    if (this.#own.outcome === null) return "it did not end";
    // The suite fails with any test of its; without one, it is its set-up.
    const isOwnFailure = this.#own.outcome === "failed" && tests.every(({ outcome }) => outcome !== "failed");
    return isOwnFailure ? `it failed outside of its tests: ${lastWords(this.#own.lines)}` : null;
  }
}

function lastWords(lines: readonly string[]): string {
  const said = lines.map((line) => line.trim()).filter((line) => line !== "" && line !== "FAIL");
  return said.slice(-3).join("; ");
}
