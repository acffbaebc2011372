// `northgate run` under an API server whose answers never end: memory stays bounded, the process lives and says why it
// waits, and it goes on when the server is itself again. No database is needed for that.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import type { Fault } from "../support/fake-api-server.ts";
import { FakeApiServer } from "../support/fake-api-server.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";
import { patience } from "../support/patience.ts";
import { highestMemoryKb } from "../support/highest-memory.ts";

let folder: string;
let server: FakeApiServer;
let running: Running;
let http: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ng-hostile-api-"));
  server = new FakeApiServer();
  const url = await server.start();
  const kubeconfig = join(folder, "kubeconfig");
  const clusters = [{ name: "c", cluster: { server: url.href } }];
  const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
  const users = [{ name: "u", user: {} }];
  writeFileSync(kubeconfig, JSON.stringify({ clusters, contexts, users, "current-context": "c" }));
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--nb=unix:${folder}/none`,
    "--metrics-bind-address=127.0.0.1:0",
  ];
  running = startNorthgate(flags);
});
afterEach(async () => {
  await running.end("SIGKILL");
  await server.stop();
  rmSync(folder, { recursive: true });
});

const listening = async () => {
  await eventually(() => {
    const line = running.log().find(({ message }) => message === "metrics are served");
    expect(line).toBeDefined();
    http = String(line?.["address"]);
  }, 60_000);
};
/** Megabytes at the most so far. */
const peak = () => highestMemoryKb(running.child.pid) / 1000;
const waiting = async () => (await (await fetch(`${http}/readyz`)).text()).split("\n");
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const endless: Fault = "endless";
test.each([
  ["lists", (watch: boolean) => (watch ? null : endless)],
  ["lines of watches", (watch: boolean) => (watch ? endless : null)],
])(
  "with %s without end",
  async (_, fault) => {
    server.fault = ({ watch }) => fault(watch);
    await listening();
    await eventually(() => {
      expect(JSON.stringify(running.log())).toContain("is longer than 8 MiB");
    }, 60_000);
    // Long enough for the next tries, which come after 0.5 s, 1 s, 2 s, 4 s.
    await pause(8000);
    expect((await fetch(`${http}/healthz`)).status).toBe(200);
    expect(peak()).toBeLessThan(400);
    const levels = new Set(running.log().map(({ level }) => level));
    expect(levels).toEqual(new Set(["info", "warn"]));

    server.fault = () => null;
    await eventually(async () => {
      const reasons = await waiting();
      expect(reasons.filter((reason) => /longer|list|synced/.test(reason))).toEqual([]);
    }, 90_000);
    expect(await running.end()).toBe(0);
  },
  patience(200_000),
);
