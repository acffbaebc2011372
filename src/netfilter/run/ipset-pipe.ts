// One ipset that stays and takes its commands one by one: a process for each change of a few elements would take longer than the
// change. It prints errors alone, so that a question at the end, which it answers, says that all before it is done.

import { createInterface } from "node:readline";
import { FilterLostError, FilterRefusedError } from "../live/filter-tools.ts";
import type { FedTool, ToolsPlace } from "./tool-process.ts";
import { startFedTool } from "./tool-process.ts";

/** Milliseconds until a tool that does not answer is ended. */
const patienceMs = 60_000;

/** What `test SET ELEMENT` prints, on standard error as errors are. */
const answer = /^(?:Warning: )?\S+ is (?:NOT )?in set \S+\.$/;

interface Asked {
  readonly errors: string[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class IpsetPipe {
  readonly #place: ToolsPlace;
  #child: FedTool | null = null;
  #asked: Asked | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(place: ToolsPlace) {
    this.#place = place;
  }

  /** `lines`: commands that add or remove elements, at least one. Rejects with a FilterRefusedError or a FilterLostError. */
  change(lines: readonly string[]): Promise<void> {
    const run = this.#last.then(() => this.#change(lines));
    this.#last = run.catch(() => undefined);
    return run;
  }

  stop(): void {
    this.#child?.kill("SIGKILL");
  }

  #change(lines: readonly string[]): Promise<void> {
    const [, set = "", element = ""] = lines.at(-1)?.split(" ") ?? [];
    const script = [...lines.map((line) => `${line} -exist`), `test ${set} ${element}`, ""].join("\n");
    return new Promise((resolve, reject) => {
      const child = (this.#child ??= this.#started());
      const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      const done = (): void => {
        clearTimeout(timer);
        this.#asked = null;
      };
      this.#asked = {
        errors: [],
        resolve: () => {
          done();
          resolve();
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      child.stdin.write(script);
    });
  }

  #started(): FedTool {
    const child = startFedTool(this.#place, "ipset", ["-"]);
    createInterface({ input: child.stderr }).on("line", (line) => {
      this.#read(line);
    });
    // What it ends with is said below.
    child.stdin.on("error", () => undefined);
    let why = "";
    child.on("error", ({ message }) => {
      why = message;
    });
    child.on("close", (code, signal) => {
      if (this.#child === child) this.#child = null;
      this.#asked?.reject(new FilterLostError(`ipset has ended: ${why || (signal ?? `exit code ${code}`)}`));
    });
    return child;
  }

  #read(line: string): void {
    const asked = this.#asked;
    if (asked === null) return;
    if (!answer.test(line)) asked.errors.push(line);
    else if (asked.errors.length === 0) asked.resolve();
    else asked.reject(new FilterRefusedError(`ipset: ${asked.errors.join("; ").replace(/[.\s]+$/, "")}`));
  }
}
