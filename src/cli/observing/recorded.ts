// What a watcher sees, as a file of connections. The file is written whole at the end, or not at all; an earlier one then stays.

import type { FlowRecord } from "../../observe/record/record.ts";
import { Recorder } from "../../observe/record/recorder.ts";
import { formatData } from "../print/data.ts";
import { WholeFile } from "../print/written-file.ts";
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
  // Shows before anything is recorded that the file can be written; which pods speak to each other is for its owner alone.
  const written = WholeFile.open(file, 0o600);
  try {
    const record = await recordOf(await ask(), failed);
    written.write(formatData(record, "json"));
    return record;
  } finally {
    written.close();
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
