// The file of `observe --record`: written whole when the reader's answer ends, for its owner alone, and not at all where that fails.

import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import type { Server } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readFlowsFile } from "../../observe/record/record.ts";
import { linesAsked } from "./lines.ts";
import { recorded } from "./recorded.ts";

let folder: string;
let server: Server;
const socket = () => join(folder, "observe.sock");

const seen = {
  ...{ time: "2026-11-28T05:00:01.000Z", verdict: "dropped", connection: "new", protocol: "tcp", port: 80 },
  from: { ip: "10.0.0.1", pod: { namespace: "shop", name: "web" } },
  to: { ip: "10.0.0.2", pod: null },
  ...{ sourcePort: 40_000, icmp: null, isReply: false, rule: null, number: 1 },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ng-record-"));
  server = createServer((watcher) => {
    const lines = [{ note: "two rows have no number" }, { event: seen }, { event: seen }, { lost: 3 }];
    // Read to its end: a socket that is not read is never closed.
    watcher.once("data", () => {
      watcher.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    });
  });
  await new Promise<void>((resolve) => server.listen(socket(), resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function record(file: string, path = socket()) {
  const filter = { pod: null, namespace: null, policy: null, verdict: null, toPort: null };
  const question = { filter: { ...filter, hasEstablished: false }, sinceSeconds: null, follow: false };
  const { signal } = new AbortController();
  const failed = () => {
    throw new Error("no node is asked");
  };
  return recorded(() => linesAsked({ socket: path, nodes: null, question }, signal), file, failed);
}

test("has what the reader has answered, and what it has not", async () => {
  const file = join(folder, "flows.json");
  const written = await record(file);
  expect(readFlowsFile(file)).toEqual(written);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(written).toMatchObject({
    ...{ since: seen.time, notes: ["two rows have no number"], missed: { lost: 3 } },
    connections: [{ from: seen.from, to: seen.to, port: 80, connections: 2, verdict: "deny" }],
  });
});

test("is not written where no reader answers, nor is anything asked where it cannot be", async () => {
  const file = join(folder, "flows.json");
  await expect(record(file, join(folder, "none.sock"))).rejects.toThrow("no reader of this node answers");
  expect(existsSync(file)).toBe(false);
  await expect(record(join(folder, "none", "flows.json"))).rejects.toThrow("ENOENT");
  expect(readdirSync(folder)).toEqual(["observe.sock"]);
});
