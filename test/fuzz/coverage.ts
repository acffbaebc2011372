// Which blocks of chosen source files have run, as V8 counts them. For a fuzzer: an input that runs a new block is worth
// keeping, and at the end a function that never ran was never tried.

import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";

export class Coverage {
  readonly #session = new Session();
  readonly #files: RegExp;
  readonly #blocks = new Set<string>();
  readonly #functions = new Map<string, boolean>();

  private constructor(files: RegExp) {
    this.#files = files;
  }

  static async start(files: RegExp): Promise<Coverage> {
    const coverage = new Coverage(files);
    coverage.#session.connect();
    await coverage.#session.post("Profiler.enable");
    await coverage.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return coverage;
  }

  /** How many blocks have run since the last time that never ran before. */
  async fresh(): Promise<number> {
    const before = this.#blocks.size;
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    for (const { url, functions } of result.filter((script) => this.#files.test(script.url)))
      for (const one of functions) this.#note(url, one);
    return this.#blocks.size - before;
  }

  #note(url: string, { functionName, ranges }: Profiler.FunctionCoverage): void {
    const ran = (ranges[0]?.count ?? 0) > 0;
    const name = `${url.split("/").at(-1)}:${functionName}`;
    if (functionName !== "") this.#functions.set(name, ran || this.#functions.get(name) === true);
    for (const { startOffset, endOffset, count } of ranges)
      if (count > 0) this.#blocks.add(`${url}:${startOffset}-${endOffset}`);
  }

  get blocks(): number {
    return this.#blocks.size;
  }

  /** Functions with a name that never ran. */
  get untouched(): readonly string[] {
    return [...this.#functions].flatMap(([name, ran]) => (ran ? [] : [name])).toSorted();
  }

  async stop(): Promise<void> {
    await this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }
}
