// A copy of the sources in which mistakes are planted and taken out again, and the judges that run there. The working tree
// is never written to. A run that takes too long is ended with everything that it started.

import { spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer } from "../../test/mutants/jest/first-objection.ts";
import type { Mutant } from "../../test/mutants/mutant.ts";
import { planted } from "../../test/mutants/mutant.ts";
import { patience } from "../../test/support/patience.ts";

export interface Judge {
  readonly name: string;
  /** What jest runs when there may be mistakes in these files; null: the judge sees none of them, and is not asked. */
  readonly tests: (files: readonly string[]) => readonly string[] | null;
  readonly environment: NodeJS.ProcessEnv;
}

export type Verdict =
  | { readonly kind: "content"; readonly tests: number }
  /** The first test that failed. */
  | { readonly kind: "objects"; readonly test: string }
  /** Nothing was judged: not loaded, crashed, or not done in time. */
  | { readonly kind: "no verdict"; readonly why: string };

const repository = fileURLToPath(new URL("../../", import.meta.url));
/** Too large to copy, and not changed. */
const linked = ["node_modules", ".cache"];
const leftOut = new Set([...linked, ".git", "dist"]);
/** On an idle machine. */
const timeLimitMs = 150_000;

export class Workshop {
  readonly folder: string;
  readonly #answer: string;
  #running: (() => void) | null = null;

  constructor(folder: string) {
    this.folder = folder;
    this.#answer = join(folder, "answer.json");
    for (const name of readdirSync(repository).filter((one) => !leftOut.has(one)))
      cpSync(join(repository, name), join(folder, name), { recursive: true });
    for (const name of linked)
      if (existsSync(join(repository, name))) symlinkSync(join(repository, name), join(folder, name));
  }

  /** Ends the run under way. */
  stop(): void {
    this.#running?.();
  }

  async withMistake<T>(mutant: Mutant, run: () => Promise<T>): Promise<T> {
    const path = join(this.folder, mutant.file);
    const right = readFileSync(path, "utf8");
    writeFileSync(path, planted(mutant, right));
    try {
      return await run();
    } finally {
      writeFileSync(path, right);
    }
  }

  async ask(judge: Judge, files: readonly string[]): Promise<Verdict> {
    const tests = judge.tests(files);
    if (tests === null) return { kind: "content", tests: 0 };
    rmSync(this.#answer, { force: true });
    const { code, said, late } = await this.#jest(tests, judge.environment);
    if (late !== null) return { kind: "no verdict", why: `not done in ${late / 1000} s` };
    // Jest calls no reporter when there are no tests for a file.
    if (!existsSync(this.#answer))
      return code === 0
        ? { kind: "content", tests: 0 }
        : { kind: "no verdict", why: `ended with code ${code ?? "none"}: ${said.trim().slice(-600)}` };
    const answer = JSON.parse(readFileSync(this.#answer, "utf8")) as Answer;
    if (answer.unreadable !== null)
      return { kind: "no verdict", why: `${answer.unreadable} could not be run` };
    if (answer.objection !== null) return { kind: "objects", test: answer.objection };
    if (code === 0) return { kind: "content", tests: answer.passed };
    return { kind: "no verdict", why: `no test failed and jest ended with code ${code ?? "none"}` };
  }

  #jest(
    tests: readonly string[],
    environment: NodeJS.ProcessEnv,
  ): Promise<{ code: number | null; said: string; late: number | null }> {
    const inCopy = (name: string) => join(this.folder, "test/mutants/jest", name);
    const args = [
      // Before what takes several values and would take these too.
      ...tests,
      ...["--ci", "--runInBand", "--passWithNoTests"],
      `--cacheDirectory=${join(this.folder, "jest")}`,
      `--reporters=${inCopy("first-objection.ts")}`,
      `--setupFiles=${inCopy("one-seed.ts")}`,
    ];
    return new Promise((resolve, reject) => {
      // A group of its own, which can be ended as a whole.
      const child = spawn(join(repository, "node_modules/.bin/jest"), args, {
        cwd: this.folder,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
        env: {
          ...process.env,
          NODE_OPTIONS: "--experimental-vm-modules --no-warnings",
          NORTHGATE_OBJECTION: this.#answer,
          // Without an OVN a judge judges nothing: that is a failure here and no skip.
          CI: "true",
          ...environment,
        },
      });
      let said = "";
      /** The time that it was given and did not keep. */
      let late: number | null = null;
      const limitMs = patience(timeLimitMs);
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4000)));
      this.#running = () => {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      };
      const timer = setTimeout(() => {
        late = limitMs;
        this.stop();
      }, limitMs);
      const done = (): void => {
        clearTimeout(timer);
        this.#running = null;
      };
      child.once("error", (error) => {
        done();
        reject(error);
      });
      child.once("close", (code) => {
        done();
        resolve({ code, said, late });
      });
    });
  }
}
