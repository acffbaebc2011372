// nft as processes.

import type { TableTools } from "../live/filter-tools.ts";
import { FilterRefusedError } from "../live/filter-tools.ts";
import { tableName } from "../nft/script.ts";
import type { ToolsPlace } from "./tool-process.ts";
import { runTool } from "./tool-process.ts";
import type { ToolRun } from "./tool-runs.ts";
import { runCounted } from "./tool-runs.ts";

const missing = "No such file or directory";

export interface ProcessTableOptions {
  readonly place: ToolsPlace;
  readonly ran?: (run: ToolRun) => void;
}

export class ProcessTable implements TableTools {
  readonly #place: ToolsPlace;
  readonly #ran: (run: ToolRun) => void;
  readonly #stopping = new AbortController();

  constructor({ place, ran = () => undefined }: ProcessTableOptions) {
    this.#place = place;
    this.#ran = ran;
  }

  list(): Promise<string> {
    return runCounted("nft-list", this.#ran, () =>
      this.#run(["-n", "list", "table", ...tableName.split(" ")]).catch((error: unknown) => {
        if (error instanceof FilterRefusedError && error.message.includes(missing)) return "";
        throw error;
      }),
    );
  }

  async apply(script: string): Promise<void> {
    await runCounted("nft", this.#ran, () => this.#run(["-f", "-"], script));
  }

  /** Ends the tools that run. */
  stop(): void {
    this.#stopping.abort();
  }

  #run(args: readonly string[], input = ""): Promise<string> {
    return runTool(this.#place, "nft", args, { input, signal: this.#stopping.signal });
  }
}
