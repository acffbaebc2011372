// A build that is asked: a process that runs some hundred of the program's command lines one after the other, each as if it were
// started anew; then another one. A process for each would take a hundred times as long, and one for all would keep all that was loaded.

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface Question {
  /** The arguments of the program. */
  readonly args: readonly string[];
  /** The folder that paths among them are relative to. */
  readonly folder: string;
}

const worker = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Each loads a module of half a megabyte anew, which Node never drops. */
const commandsOfAProcess = 200;

export class Build {
  /** The program's entry, for a process of its own. */
  readonly main: string;
  #child: ChildProcess;
  #asked = 0;

  /** `tree`: a checkout with its `dist/`. */
  constructor(tree: string) {
    this.main = join(tree, "dist", "main.js");
    this.#child = this.#started();
  }

  #started(): ChildProcess {
    return fork(worker, [this.main], { env: environment() });
  }

  /** One question after the other. */
  ask(question: Question): Promise<Answer> {
    this.#asked += 1;
    if (this.#asked % commandsOfAProcess === 0) {
      this.close();
      this.#child = this.#started();
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const ended = (code: number | null) => {
      reject(new Error(`${this.main} ended with ${code} in ${question.args.join(" ")}`));
    };
    this.#child.once("exit", ended);
    this.#child.once("message", (answer) => {
      this.#child.off("exit", ended);
      resolve(answer as Answer);
    });
    this.#child.send(question);
    return promise;
  }

  close(): void {
    this.#child.kill();
  }
}

/** Nothing of the person's own settings reaches either build. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("NORTHGATE_") && !["KUBECONFIG", "NODE_OPTIONS"].includes(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1" };
}
