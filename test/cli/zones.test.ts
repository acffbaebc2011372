// Who may write, as a user runs it: a wrong zone writes nothing, two zones never share a database, and an instance with other
// flags stands by until it may lead. On a real Northbound database; rows are compared as the database prints them.

import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";

const [zone, other] = ["ovn-worker", "ovn-worker2"];
const nodes = join("cluster", "nodes.yaml");

await describeWithOvn("who may write", () => {
  let ovn: Ovn;
  let folder: string;
  let running: Running[];

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    running = [];
    folder = mkdtempSync(join(tmpdir(), "ng-zones-"));
    cpSync("examples/cluster-control", folder, { recursive: true });
    await clearRows(ovn);
    await ovn.nbctl("set", "NB_Global", ".", 'name=""');
    await makeSwitch(ovn, podsIn(folder));
  });
  afterEach(async () => {
    for (const program of running) await program.end("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  function start(...flags: readonly string[]): Running {
    const program = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"],
      ...flags,
    ]);
    running.push(program);
    return program;
  }
  const told = (program: Running, message: string) =>
    program.log().filter((line) => String(line["message"]).startsWith(message));
  async function readiness(program: Running): Promise<readonly [number, string]> {
    const [line] = told(program, "metrics are served");
    if (line === undefined) return [0, ""];
    const answer = await fetch(`${String(line["address"])}/readyz`);
    return [answer.status, await answer.text()];
  }
  const isReady = (program: Running, text: string) =>
    eventually(async () => {
      expect(await readiness(program)).toEqual([200, expect.stringMatching(text)]);
    });
  const isNot = (program: Running, ...texts: readonly string[]) =>
    eventually(async () => {
      const [status, text] = await readiness(program);
      expect(status).toBe(503);
      for (const one of texts) expect(text).toContain(one);
    });
  /** All that the database has of ours, with the memberships of pods. */
  const rows = async (): Promise<string> => {
    const tables = ["Port_Group", "Address_Set", "ACL"];
    const printed = tables.map((table) => ovn.nbctl("--format=csv", "list", table));
    return (await Promise.all(printed)).map((text) => text.split("\n").sort().join("\n")).join("\n");
  };
  const memberships = async () =>
    (await ovn.nbctl("--bare", "--columns=ports", "list", "Port_Group")).split(/\s+/).filter(Boolean).length;
  async function end(program: Running): Promise<void> {
    expect(await program.end()).toBe(0);
    running.splice(running.indexOf(program), 1);
  }
  async function rightOnce(): Promise<string> {
    const right = start(`--zone=${zone}`);
    await isReady(right, "^ok\n$");
    await end(right);
    expect(await memberships()).toBeGreaterThan(0);
    return await rows();
  }

  describe("a wrong zone", () => {
    test("writes nothing and is not ready; insisting writes", async () => {
      const before = await rightOnce();
      const wrong = start("--zone=ovn-wroker");
      await isNot(
        wrong,
        '--zone is "ovn-wroker", and no Node has that name: nothing is written',
        "--allow-empty-zone",
      );
      await eventually(() => {
        expect(told(wrong, "the zone is wrong and rows exist")).toHaveLength(1);
      });
      expect(await rows()).toBe(before);
      // It takes no claim either, and the right one is not refused.
      expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toBe("{}\n");
      const right = start(`--zone=${zone}`);
      await isReady(right, "^ok\n$");
      await end(right);
      await end(wrong);
      expect(await rows()).toBe(before);
      const insisting = start("--zone=ovn-wroker", "--allow-empty-zone");
      await isReady(insisting, "^ok\nno policy is enforced");
      expect(await memberships()).toBe(0);
    });

    test("is also one that the database says is another's", async () => {
      const before = await rightOnce();
      await ovn.nbctl("set", "NB_Global", ".", `name=${other}`);
      const wrong = start(`--zone=${zone}`);
      await isNot(
        wrong,
        `the Northbound database is of zone "${other}", and --zone is "${zone}": nothing is written`,
      );
      expect(await rows()).toBe(before);
      await ovn.nbctl("set", "NB_Global", ".", `name=${zone}`);
      await isReady(wrong, "^ok\n$");
      expect(await rows()).toBe(before);
    });

    test("holds the rows while the Node is away, and goes on when it is back", async () => {
      const program = start(`--zone=${zone}`);
      await isReady(program, "^ok\n$");
      const before = await rows();
      const text = readFileSync(join(folder, nodes), "utf8");
      rmSync(join(folder, nodes));
      await isNot(program, "nothing is written");
      // Without the Node none of its pods is local, and an edit waits too.
      const policy = join(folder, "policies", "cluster-control.yaml");
      writeFileSync(policy, readFileSync(policy, "utf8").replace("priority: 34", "priority: 35"));
      await eventually(() => {
        expect(told(program, "the zone is wrong and rows exist")).toHaveLength(1);
      });
      expect(await rows()).toBe(before);
      writeFileSync(join(folder, nodes), text);
      await isReady(program, "^ok\n$");
      expect(told(program, "the zone is right again")).toHaveLength(1);
      expect(await rows()).not.toBe(before);
    });
  });

  test("two zones on one database: the second ends with 78 and both values, and no row changes", async () => {
    const first = start(`--zone=${zone}`);
    await isReady(first, "^ok\n$");
    const before = await rows();
    for (const flags of [[`--zone=${other}`], [`--zone=${other}`, "--take-over"], []]) {
      const second = start(...flags);
      const code = await new Promise((resolve) => second.child.once("exit", resolve));
      running.splice(running.indexOf(second), 1);
      expect(code).toBe(78);
      const ours = flags.length > 0 ? `--zone "${other}"` : "all nodes (no --zone)";
      expect(second.text()).toContain(
        `writes to this Northbound database for --zone "${zone}", and this one is for ${ours}`,
      );
    }
    expect(await rows()).toBe(before);
    await isReady(first, "^ok\n$");
  });

  test("other flags stand by, not ready, with both values; --take-over leads, and the way back needs nothing else", async () => {
    const first = start();
    await isReady(first, "^ok\n$");
    const before = await rows();
    const second = start("--address-sets=shared");
    await isNot(second, "--address-sets is rule there and shared here");
    expect(await rows()).toBe(before);
    await end(second);
    const third = start("--address-sets=shared", "--take-over");
    await isReady(third, "^ok\n$");
    await isNot(first, "--address-sets is shared there and rule here");
    expect(await rows()).not.toBe(before);
    await end(third);
    await isReady(first, "^ok\n$");
    expect(await setNames()).toEqual(namesIn(before));
  });

  test("a rolling update of two replicas with another flag needs no manual step, and neither does the way back", async () => {
    let pair = [start("--take-over"), start("--take-over")];
    for (const program of pair) await isReady(program, "^ok\n");
    for (const form of ["shared", "rule"]) {
      const flags = [`--address-sets=${form}`, "--take-over"];
      // As a Deployment does it: one ends, its successor becomes ready, then the other one.
      const updated: Running[] = [];
      for (const old of pair) {
        await end(old);
        const successor = start(...flags);
        await isReady(successor, "^ok\n");
        updated.push(successor);
      }
      pair = updated;
      const claim = await ovn.nbctl("get", "NB_Global", ".", "external_ids");
      expect(claim).toContain(` address-sets=${form} `);
    }
  });

  const setNames = async () => namesIn(await rows());
});

/** The names of address sets in what `rows` printed: longer than the last part of a UUID, which may have the same form. */
function namesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\ba\d{12,}\b/g))].sort();
}

/** Logical switch ports of the example's pods. */
function podsIn(folder: string): readonly string[] {
  const texts = readdirSync(join(folder, "cluster")).map((name) =>
    readFileSync(join(folder, "cluster", name), "utf8"),
  );
  return texts
    .flatMap((text) => text.split(/^---$/m))
    .filter((document) => /^kind: Pod$/m.test(document))
    .map((document) => {
      const read = (field: string) => new RegExp(`\\b${field}: ([\\w.-]+)`).exec(document)?.[1] ?? "";
      return `${read("namespace")}_${read("name")}`;
    });
}
