// What a watcher sees, as a file of connections. The file is written whole at the end, or not at all; an earlier one then stays.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { FlowRecord } from "../../observe/record/record.ts";
import { Recorder } from "../../observe/record/recorder.ts";
import { formatData } from "../print/data.ts";
import type { AskedLines, Line } from "./lines.ts";
import { sentenceOf } from "./lines.ts";

/** What comes of a node that cannot be asked, as it comes. */
type Failed = (line: Line & { readonly failed: string }) => void;

/** Throws an Error of one sentence when no reader answers or the file cannot be written. */
export async function recorded(
  ask: () => Promise<AskedLines>,
  file: string,
  failed: Failed,
): Promise<FlowRecord> {
  // Shows before anything is recorded that the file can be written.
  const draft = `${file}.${process.pid}.part`;
  write(draft, "");
  try {
    const record = await recordOf(await ask(), failed);
    write(draft, formatData(record, "json"));
    renameSync(draft, file);
    return record;
  } finally {
    rmSync(draft, { force: true });
  }
}

async function recordOf({ nodes, lines }: AskedLines, failed: Failed): Promise<FlowRecord> {
  const recorder = new Recorder();
  const silent = new Set<string | undefined>();
  const since = new Date().toISOString();
  for await (const line of lines) {
    if ("event" in line) recorder.add(line.event);
    else if ("lost" in line) recorder.addLost(line.lost);
    else recorder.addNote(sentenceOf(line));
    if ("failed" in line) {
      failed(line);
      silent.add(line.node);
    }
  }
  const answered = nodes?.filter((node) => !silent.has(node)) ?? null;
  return recorder.record({ since, until: new Date().toISOString(), nodes: answered });
}

/** It shows which pods speak to each other: for its owner alone. */
function write(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}
