// A private OVN on real parts: instances side by side, and what is left of them when they or their owner end.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";

const red = pod("red", "a", { node: "east", ips: ["10.244.1.5"] });
const blue = pod("blue", "a", { node: "east", ips: ["10.244.1.6"] });

/** Whether the process is there; one that ended and waits for its parent is not. */
function runs(pid: number): boolean {
  return existsSync(`/proc/${pid}/exe`) && existsSync(`/proc/${pid}`);
}

async function expectSoon<T>(look: () => T, wanted: T): Promise<void> {
  for (let tries = 0; tries < 200 && look() !== wanted; tries++) await sleep(10);
  expect(look()).toBe(wanted);
}

await describeWithOvn("a private OVN", (install) => {
  test("starts side by side and leaves neither process nor folder", async () => {
    const both = await Promise.all([startOvn({ install }), startOvn({ install, tcpPort: 0 })]);
    await Promise.all(both.map((ovn, at) => ovn.nbctl("ls-add", `s${at}`)));
    await Promise.all(both.map((ovn) => ovn.sync()));
    const shown = await Promise.all(
      both.map((ovn) => ovn.sbctl("--bare", "--columns=external_ids", "list", "datapath")),
    );
    expect(shown.map((printed) => /name=(\w+)/.exec(printed)?.[1])).toEqual(["s0", "s1"]);
    expect(
      await both[1].nbctl(`--db=${both[1].nbTcp}`, "--bare", "--columns=name", "list", "logical_switch"),
    ).toBe("s1\n");

    const pids = both.flatMap((ovn) => [...ovn.pids().values()]);
    expect(pids).toHaveLength(6);
    const tracer = await openTracer(both[0]); // nobody closes it
    await expect(tracer.verdict({ from: red, to: blue, protocol: "tcp" })).rejects.toThrow("east");
    await Promise.all(both.map((ovn) => ovn.stop()));
    expect(pids.filter(runs)).toEqual([]);
    expect(both.filter((ovn) => existsSync(ovn.dir))).toEqual([]);
  });

  test("does not outlive an owner that was killed", async () => {
    const module = JSON.stringify(new URL("../../tools/sandbox/ovn.ts", import.meta.url).href);
    const code = `const { startOvn } = await import(${module});
      const ovn = await startOvn();
      process.stdout.write(JSON.stringify({ dir: ovn.dir, pids: [...ovn.pids().values()] }));
      process.kill(process.pid, "SIGKILL");`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code]);
    const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
    const { dir, pids } = JSON.parse(printed) as { dir: string; pids: number[] };
    expect(pids).toHaveLength(3);
    await expectSoon(() => existsSync(dir) || pids.some(runs), false);
  });

  test("an NB server that was killed comes back with its data", async () => {
    const ovn = await startOvn({ install, northd: false });
    try {
      await ovn.nbctl("ls-add", "kept");
      const before = ovn.pids().get("nb");
      await ovn.killNb();
      expect(ovn.pids().has("nb")).toBe(false);
      await ovn.restartNb();
      expect(ovn.pids().get("nb")).not.toBe(before);
      expect(await ovn.nbctl("ls-list")).toContain("(kept)");
    } finally {
      await ovn.stop();
    }
  });
});
