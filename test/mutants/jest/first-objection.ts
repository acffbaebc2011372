// A jest reporter for runs whose only question is whether anything fails: writes the answer to $NORTHGATE_OBJECTION and ends
// the run with the first test that fails. Files that cannot be loaded are told apart: they judge nothing.

import { writeFileSync } from "node:fs";

export interface Answer {
  readonly passed: number;
  /** The first test that failed. */
  readonly objection: string | null;
  /** The first file that could not be run. */
  readonly unreadable: string | null;
}

interface CaseResult {
  readonly status: string;
  readonly fullName: string;
}

interface FileResult {
  readonly testFilePath: string;
  readonly testExecError?: unknown;
}

export default class FirstObjection {
  #passed = 0;
  #unreadable: string | null = null;

  onTestCaseResult(_: unknown, { status, fullName }: CaseResult): void {
    if (status === "passed") this.#passed++;
    if (status !== "failed" || this.#unreadable !== null) return;
    this.#answer(fullName);
    // What the tests started watches for this process's end.
    process.exit(1);
  }

  onTestFileResult(_: unknown, { testFilePath, testExecError }: FileResult): void {
    if (testExecError !== undefined && testExecError !== null) this.#unreadable ??= testFilePath;
  }

  onRunComplete(): void {
    this.#answer(null);
  }

  #answer(objection: string | null): void {
    const answer: Answer = { passed: this.#passed, objection, unreadable: this.#unreadable };
    writeFileSync(process.env["NORTHGATE_OBJECTION"] ?? "", JSON.stringify(answer));
  }
}
