// A process with one session, for peers that would end it: transacts whenever it is ready, says on standard output what it
// logs, and at the end (standard input closes) how much memory it had at most.

import type { LogFields } from "../../src/lib/logger.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import { description } from "./scripted-schema.ts";
import { highestMemoryKb } from "../support/highest-memory.ts";

const say = (line: Readonly<Record<string, unknown>>) => process.stdout.write(`${JSON.stringify(line)}\n`);
const log = (message: string, fields?: LogFields) => say({ message, ...fields });
const session = openSession({
  remotes: process.argv[2] ?? "",
  database: description,
  monitors: { T: {} },
  retry: { initialMs: 1, maxMs: 5 },
  logger: { debug: log, info: log, warn: log, error: log },
});
const add = { op: "insert", table: "T", row: { n: 2 } } as const;
session.subscribe({
  ready: () => {
    session.transact([add]).then(
      () => say({ done: true }),
      (error: unknown) => say({ failed: error instanceof Error ? error.name : String(error) }),
    );
  },
});
process.stdin.resume().once("end", () => {
  say({ maxRssKb: highestMemoryKb("self") });
  process.exit(0);
});
