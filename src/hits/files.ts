// Counts of rules from files: the saved text of /metrics of nodes' readers, a file for each node.

import { readFileSync, statSync } from "node:fs";
import { printable } from "../model/quote.ts";
import { Hits } from "./hits.ts";
import type { NodeCounts } from "./hits.ts";
import { MetricsTextError, readMetricsText } from "./metrics-text.ts";

/** Three times what a reader with as many series as it has at most writes. */
const largest = 64 << 20;

/** null: no file is given. Throws as `readHitsFiles`. */
export function hitsAsked(paths: readonly string[]): Hits | null {
  return paths.length === 0 ? null : readHitsFiles(paths);
}

/** Throws an Error of one sentence that names the file, and the line where one is at fault. */
export function readHitsFiles(paths: readonly string[]): Hits {
  const from = new Map<string, string>();
  return new Hits(
    paths.map((path) => {
      const counts = readHitsFile(path);
      const earlier = from.get(counts.node);
      if (earlier !== undefined)
        throw new Error(
          `--hits ${path}: is of node ${printable(counts.node)}, as ${earlier} is: give one file for each node`,
        );
      from.set(counts.node, path);
      return counts;
    }),
  );
}

function readHitsFile(path: string): NodeCounts {
  try {
    const { size } = statSync(path);
    if (size > largest) throw new Error(`is larger than ${largest >> 20} MiB`);
    return readMetricsText(readFileSync(path, "utf8"));
  } catch (error) {
    const place = error instanceof MetricsTextError && error.line !== null ? `:${error.line}` : "";
    const why = printable(error instanceof Error ? error.message : String(error));
    throw new Error(`--hits ${path}${place}: ${why}`, { cause: error });
  }
}
