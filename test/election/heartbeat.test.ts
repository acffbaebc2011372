// A long turn of the event loop does not lose the claim, and a loop that hangs does: the writer is a process whose loop is held
// up, and signs of life are counted in the database.

import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { claimIn, type Claim } from "../../src/nbdb/write/claim.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";

const program = fileURLToPath(new URL("busy-writer.ts", import.meta.url));
const hourMs = 3_600_000;

await describeWithOvn("the heartbeat of a writer", () => {
  let ovn: Ovn;
  let session: ReturnType<typeof openNorthbound>;
  let child: ChildProcess | null = null;
  let said: string;
  let signs: Set<string>;

  beforeEach(async () => {
    ovn = await startOvn({ northd: false });
    session = openNorthbound(ovn.nb);
    await session.opened();
    [said, signs] = ["", new Set()];
    session.subscribe({
      changed: () => {
        const sign = claim()?.sign;
        if (typeof sign === "string") signs.add(sign);
      },
    });
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await session.close();
    await ovn.stop();
  });

  function claim(): Claim | null {
    return claimIn(session.cache);
  }
  function start(turnMs: number, busyMs: number): ChildProcess {
    const writer = spawn(process.execPath, [program, ovn.nb, String(turnMs), String(busyMs)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    writer.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child = writer;
    return writer;
  }
  const says = (text: string) =>
    eventually(() => {
      expect(said).toContain(text);
    }, 60_000);

  test("goes on while the loop is held up, and the loop takes it over again; the end gives the claim back", async () => {
    const writer = start(hourMs, 8_000);
    await says("busy");
    signs.clear();
    await eventually(() => {
      expect(signs.size).toBeGreaterThan(10);
    }, 60_000);
    // The loop itself gave none of them.
    expect(said).not.toContain("turns");
    for (const sign of signs) expect(sign).toMatch(/^\d+\+\d+ standalone$/);
    await says("turns");
    await eventually(() => {
      expect(claim()?.sign).toMatch(/^\d+ standalone$/);
    });
    const ended = new Promise((resolve) => writer.once("exit", resolve));
    writer.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toBe("{}\n");
  });

  test("ends when the loop has not turned for longer than it may, so that another can lead", async () => {
    start(1_500, hourMs);
    await says("busy");
    await eventually(() => {
      expect(signs.size).toBeGreaterThan(0);
    });
    let last = "";
    await eventually(async () => {
      const before = signs.size;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      last = claim()?.sign ?? "";
      expect(signs.size).toBe(before);
    }, 60_000);
    expect(last).not.toBe("");
  });

  test("gives no sign for a claim that another has taken", async () => {
    start(hourMs, hourMs);
    await says("busy");
    const seen = claim();
    expect(seen?.writer).toBe("busy here busy");
    await ovn.nbctl("set", "NB_Global", ".", 'external_ids:northgate-writer="other there"');
    await ovn.nbctl("set", "NB_Global", ".", 'external_ids:northgate-writer-sign="1 -"');
    signs.clear();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect([...signs]).toEqual([]);
    expect(claim()?.sign).toBe("1 -");
  });
});
