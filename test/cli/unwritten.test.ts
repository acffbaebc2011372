// Output that cannot be written: the disk is full, as /dev/full always is, or nobody reads. An answer that is not written is an error, and
// a log that is not written is none.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { mainFile } from "../support/main-file.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { northgate } from "../support/program.ts";

const folder = "examples/cluster-control";
const environment = { ...process.env, NODE_OPTIONS: "" };

test.each([
  ["render", "-f", folder],
  ["render", "-f", folder, "-o", "json"],
  ["get", "policies", "-f", folder],
  ["plan", "-f", folder, "--against", `dir:${folder}`],
  ["--help"],
])("%s says on one line that the answer cannot be written", (...args) => {
  const full = openSync("/dev/full", "w");
  try {
    const { status, stderr } = spawnSync(process.execPath, [mainFile, ...args], {
      ...{ encoding: "utf8", env: environment, stdio: ["ignore", full, "pipe"] },
    });
    const lines = stderr.split("\n").filter((line) => line.includes("ENOSPC"));
    expect(lines).toEqual([
      "northgate: standard output cannot be written: ENOSPC: no space left on device, write",
    ]);
    expect(status).toBe(1);
  } finally {
    closeSync(full);
  }
});

test("observe --follow takes no more of a reader than is read of it, and a signal ends it all the same", async () => {
  const socketFolder = mkdtempSync(join(tmpdir(), "ng-unread-"));
  const path = join(socketFolder, "observe.sock");
  const event = {
    ...{ time: "2026-11-29T05:00:01.000Z", verdict: "dropped", connection: "new", protocol: "tcp", port: 80 },
    ...{ from: { ip: "10.0.0.1", pod: null }, to: { ip: "10.0.0.2", pod: null } },
    ...{ sourcePort: 40_000, icmp: null, isReply: false, rule: null, number: 1 },
  };
  const line = `${JSON.stringify({ event })}\n`;
  let taken = 0;
  const server = createServer((watcher) => {
    const send = () => {
      while (taken < 100_000 && watcher.write(line)) taken++;
    };
    watcher.on("drain", send).on("error", () => undefined);
    watcher.once("data", send);
  });
  server.listen(path);
  await once(server, "listening");
  const child = spawn(process.execPath, [mainFile, "observe", "--follow", "-o", "ndjson", "--socket", path], {
    ...{ env: environment, stdio: ["ignore", "pipe", "inherit"] },
  });
  const ended = once(child, "exit");
  try {
    let before = -1;
    await eventually(async () => {
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(child.stdout.readableLength).toBeGreaterThan(0);
      expect(taken).toBe(before);
    });
    // The buffers of two sockets, of two pipes and of this process: some hundreds of kB.
    expect(taken * line.length).toBeLessThan(2 ** 20);
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
    server.close();
    rmSync(socketFolder, { recursive: true });
  }
});

await describeWithOvn("a full disk", () => {
  let ovn: Ovn;
  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(() => ovn.stop());

  test("under the log ends no run: it writes the rows, and ends in good order", async () => {
    const wanted = JSON.parse(northgate("render", "-f", folder, "-o", "json").stdout) as { ACL: unknown };
    const full = openSync("/dev/full", "w");
    const args = [`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=off"];
    const child = spawn(process.execPath, [mainFile, "run", ...args], {
      ...{ env: environment, stdio: ["ignore", "ignore", full] },
    });
    closeSync(full);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const session = openNorthbound(ovn.nb);
    try {
      await session.opened();
      await eventually(() => {
        expect(actualTables(session.cache).ACL).toEqual(wanted.ACL);
      });
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    } finally {
      child.kill("SIGKILL");
      await session.close();
    }
  });

  test("or a program that does not read the log holds up no run, nor its end", async () => {
    const broken = mkdtempSync(join(tmpdir(), "ng-unread-"));
    cpSync(folder, broken, { recursive: true });
    // A warning each, 600 kB of them: a pipe holds 64 kB.
    const names = Array.from({ length: 2_000 }, (_, at) => `broken-${at}-${"x".repeat(100)}`);
    const { apiVersion, kind } = {
      apiVersion: "policy.networking.k8s.io/v1alpha1",
      kind: "AdminNetworkPolicy",
    };
    writeFileSync(
      join(broken, "broken.yaml"),
      names
        .map((name) => `---\n${JSON.stringify({ apiVersion, kind, metadata: { name }, spec: {} })}\n`)
        .join(""),
    );
    const args = [`--source=dir:${broken}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"];
    const child = spawn(process.execPath, [mainFile, "run", ...args], {
      ...{ env: environment, stdio: ["ignore", "ignore", "pipe"] },
    });
    const ended = once(child, "exit");
    const session = openNorthbound(ovn.nb);
    try {
      await session.opened();
      const policy = join(broken, "policies", "cluster-control.yaml");
      const port = "port: 7565";
      await eventually(() => {
        expect(child.stderr.readableLength).toBeGreaterThan(0);
      });
      writeFileSync(policy, readFileSync(policy, "utf8").replace("port: 7564", port));
      await eventually(() => {
        expect(JSON.stringify(actualTables(session.cache).ACL)).toContain("7565");
      });
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
      await session.close();
      rmSync(broken, { recursive: true });
    }
  });
});
