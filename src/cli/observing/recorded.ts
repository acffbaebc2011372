// What a watcher sees, as a file of connections. The file is written whole at the end, or not at all; an earlier one then stays.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { FlowRecord } from "../../observe/record/record.ts";
import { Recorder } from "../../observe/record/recorder.ts";
import type { Watched } from "../../observe/watching/client.ts";
import { watched } from "../../observe/watching/client.ts";
import { formatData } from "../print/data.ts";

/** Throws an Error of one sentence when no reader answers or the file cannot be written. */
export async function recorded(asked: Watched, file: string): Promise<FlowRecord> {
  // Shows before anything is recorded that the file can be written.
  const draft = `${file}.${process.pid}.part`;
  write(draft, "");
  try {
    const record = await recordOf(asked);
    write(draft, formatData(record, "json"));
    renameSync(draft, file);
    return record;
  } finally {
    rmSync(draft, { force: true });
  }
}

async function recordOf(asked: Watched): Promise<FlowRecord> {
  const recorder = new Recorder();
  const since = new Date().toISOString();
  for await (const line of watched(asked)) {
    if ("note" in line) recorder.addNote(line.note);
    else if ("lost" in line) recorder.addLost(line.lost);
    else recorder.add(line.event);
  }
  return recorder.record(since, new Date().toISOString());
}

/** It shows which pods speak to each other: for its owner alone. */
function write(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}
