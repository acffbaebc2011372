// `northgate run` on databases that stop answering: a server that is stopped, one that answers everything but transactions.
// The program says so, uses what is left, and ends when it is told to.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import { MutingProxy } from "../ovsdb/muting-proxy.ts";
import { actualTables } from "../support/actual-tables.ts";
import { openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { northgate, type Running, startNorthgate } from "../support/program.ts";

await describeWithOvn("northgate run on a database that", () => {
  let ovn: Ovn;
  let folder: string;
  let running: Running | null = null;
  let proxy: MutingProxy | null = null;

  beforeEach(async () => {
    ovn = await startOvn({ northd: false });
    folder = mkdtempSync(join(tmpdir(), "ng-unanswered-"));
    cpSync("examples/cluster-control", folder, { recursive: true });
  });
  afterEach(async () => {
    await running?.end("SIGKILL");
    proxy?.close();
    await ovn.stop();
    rmSync(folder, { recursive: true });
  });

  const start = (nb: string) => {
    running = startNorthgate([`--source=dir:${folder}`, `--nb=${nb}`, "--metrics-bind-address=off"]);
    return running;
  };
  const acls = async (): Promise<unknown> => {
    const session = openNorthbound(ovn.nb);
    await session.opened();
    const { ACL } = actualTables(session.cache);
    await session.close();
    return ACL;
  };
  const converged = async (timeoutMs?: number) => {
    const { ACL } = JSON.parse(northgate("render", "-f", folder, "-o", "json").stdout) as Tables;
    await eventually(async () => {
      expect(await acls()).toEqual(ACL);
    }, timeoutMs);
  };
  const ids = () => ovn.nbctl("get", "NB_Global", ".", "external_ids");
  const edit = () => {
    const policy = join(folder, "policies", "cluster-control.yaml");
    writeFileSync(policy, readFileSync(policy, "utf8").replace("port: 7564", "port: 7565"));
  };
  const said = (program: Running, words: string) =>
    program.log().filter(({ message }) => String(message).includes(words));
  /** Ends with 0, and how many milliseconds that took. */
  const endsWithin = async (program: Running): Promise<number> => {
    const begun = performance.now();
    expect(await program.end("SIGTERM")).toBe(0);
    return performance.now() - begun;
  };

  test("answers all but transactions is left with a warning; when it answers again the rows are right", async () => {
    proxy = await MutingProxy.open(join(ovn.dir, "nb.sock"), join(ovn.dir, "mute.sock"));
    const program = start(proxy.remote);
    await converged();
    proxy.muted.add("transact");
    edit();
    await eventually(() => {
      expect(said(program, "a transaction was not answered")).toMatchObject([
        { level: "warn", milliseconds: expect.any(Number), operations: expect.any(Number) },
      ]);
    }, 30_000);
    // The connection is new, and so is the plan.
    await eventually(() => {
      expect(proxy?.lost.length).toBeGreaterThan(1);
    });
    proxy.muted.clear();
    await converged(30_000);
    expect(program.log().every(({ level }) => level !== "error")).toBe(true);
  });

  test("leaves a transaction unanswered does not keep it from ending", async () => {
    proxy = await MutingProxy.open(join(ovn.dir, "nb.sock"), join(ovn.dir, "mute.sock"));
    proxy.muted.add("transact");
    const program = start(proxy.remote);
    await eventually(() => {
      expect(proxy?.lost.length).toBe(1);
    });
    expect(await endsWithin(program)).toBeLessThan(patience(10_000));
  });

  test("leaves the rows unanswered does not keep it from giving its claim back", async () => {
    proxy = await MutingProxy.open(join(ovn.dir, "nb.sock"), join(ovn.dir, "mute.sock"));
    proxy.isLost = (text) => text.includes('"ACL"');
    const program = start(proxy.remote);
    await converged();
    expect(await ids()).toContain("northgate-writer=");
    proxy.muted.add("transact");
    edit();
    await eventually(() => {
      expect(proxy?.lost.length).toBe(1);
    });
    expect(await endsWithin(program)).toBeLessThan(patience(10_000));
    expect(await ids()).toBe("{}\n");
  });

  test("is stopped does not keep it from ending", async () => {
    const program = start(ovn.nb);
    await converged();
    stop("SIGSTOP");
    edit();
    // Until the edit is read and its transaction sent.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await endsWithin(program)).toBeLessThan(patience(10_000));
  });

  test("is stopped, and the first of two, is left for the second", async () => {
    const other = await startOvn({ northd: false });
    try {
      stop("SIGSTOP", other);
      start(`${other.nb},${ovn.nb}`);
      // 15 s for the first of them, and time for a slow machine; it was 62 s.
      await converged(40_000);
    } finally {
      await other.stop();
    }
  });

  function stop(signal: NodeJS.Signals, of = ovn): void {
    const pid = of.pids().get("nb");
    if (pid !== undefined) process.kill(pid, signal);
  }
});
