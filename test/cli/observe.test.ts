// `run --observe` as users run it, on a real Northbound database: a start that was killed, one that writes nothing, one without
// it, which leaves nothing, the cleanup, and databases that have no such columns.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { Server, northboundSchema, stopAll } from "../ovsdb/real-server.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";
import type { Running } from "../support/program.ts";
import { northgate, startNorthgate } from "../support/program.ts";

const example = "examples/cluster-control";

await describeWithOvn("run --observe", () => {
  let ovn: Ovn;
  let folder: string;
  let running: Running | null;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    running = null;
    folder = mkdtempSync(join(tmpdir(), "ng-observe-"));
    cpSync(example, folder, { recursive: true });
    await ovn.nbctl("--if-exists", "ls-del", "theirs");
    await clearRows(ovn);
    for (const table of ["Sampling_App", "Sample_Collector"]) await ovn.nbctl("--all", "destroy", table);
    await makeSwitch(ovn, ["network-policy-conformance-slytherin_draco-malfoy-0"]);
  });
  afterEach(async () => {
    await running?.end("SIGKILL");
    rmSync(folder, { recursive: true });
    stopAll();
  });

  async function start(...flags: readonly string[]): Promise<Running> {
    const program = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0", "--take-over"],
      ...flags,
    ]);
    running = program;
    await eventually(() => {
      expect(told(program, "initial synchronization is complete")).toHaveLength(1);
    }, 30_000);
    return program;
  }
  const told = (program: Running, message: string) =>
    program.log().filter((line) => String(line["message"]) === message);
  async function transactions(program: Running): Promise<number> {
    const [line] = told(program, "metrics are served");
    const text = await (await fetch(`${String(line?.["address"])}/metrics`)).text();
    return Number(/^northgate_nb_transactions_total (\d+)/m.exec(text)?.[1]);
  }
  const listed = async (table: string, ...columns: readonly string[]) =>
    (await ovn.nbctl("--format=csv", "--no-headings", ...columns, "list", table))
      .split("\n")
      .filter(Boolean)
      .sort();
  /** All of the rows of policies, without what ACLs are sampled with. */
  const rows = async () =>
    Promise.all([
      listed("Port_Group"),
      listed("Address_Set"),
      listed(
        "ACL",
        "--columns=_uuid,name,action,direction,priority,tier,match,log,severity,meter,label,options,external_ids",
      ),
    ]);
  const sampling = async () =>
    Promise.all(["Sample", "Sample_Collector", "Sampling_App"].map((table) => listed(table)));
  const lengths = async () => (await sampling()).map(({ length }) => length);
  const none = [[], [], []];

  test("rows come with it and go without it, and the rows of policies stay as they are", async () => {
    await (await start()).end();
    const before = await rows();
    const [, , acls] = before;
    expect(acls).toHaveLength(14);
    expect(await sampling()).toEqual(none);
    await (await start("--observe=samples")).end("SIGKILL");
    expect(await rows()).toEqual(before);
    expect(await lengths()).toEqual([14, 1, 2]);
    const sampled = await sampling();
    const again = await start("--observe=samples");
    expect(await transactions(again)).toBe(0);
    expect(await again.end()).toBe(0);
    expect(await sampling()).toEqual(sampled);
    const without = await start("--observe=off");
    await eventually(async () => {
      expect(await sampling()).toEqual(none);
    });
    expect(await rows()).toEqual(before);
    expect(told(without, "samples of an earlier run with --observe were removed")).toMatchObject([
      { acls: 14, operations: 18 },
    ]);
    expect(await transactions(without)).toBe(1);
    await without.end();
  });

  test("without it, Samples and collectors of others stay, and the applications with them", async () => {
    await (await start("--observe=samples")).end();
    await ovn.nbctl(
      ...["--id=@c", "create", "Sample_Collector", "id=9", "set_id=42", "probability=65535", "--"],
      ...["--id=@s", "create", "Sample", "metadata=77", "collectors=@c", "--", "ls-add", "theirs", "--"],
      ...["--id=@a", "create", "ACL", "priority=1", "direction=to-lport", "match=ip4", "action=drop"],
      ...["sample_new=@s", "--", "add", "Logical_Switch", "theirs", "acls", "@a"],
    );
    const program = await start();
    await eventually(async () => {
      expect(await lengths()).toEqual([1, 1, 2]);
    });
    await program.end();
  });

  test("cleanup shows its rows and removes them with the last ACLs", async () => {
    await (await start("--observe=samples")).end();
    const cleanup = (...flags: readonly string[]) =>
      northgate("cleanup", `--nb=${ovn.nb}`, "--no-conditions", ...flags);
    expect(cleanup().stdout).toContain("3 sampling rows");
    // Rows of one kind: the others are sampled still.
    expect(cleanup("--kind=BaselineAdminNetworkPolicy").stdout).not.toContain("sampling");
    expect(cleanup("--kind=BaselineAdminNetworkPolicy", "--yes").code).toBe(0);
    expect(await lengths()).toEqual([12, 1, 2]);
    expect(cleanup("--yes").code).toBe(0);
    expect(await sampling()).toEqual(none);
    expect(cleanup("--yes").stdout).toContain("no rows of Northgate's");
  });

  describe("a database that has no samples", () => {
    function older(): Server {
      const schema = northboundSchema();
      const lacking = /^(sample_|Sampl)/;
      const without = <T>(parts: Readonly<Record<string, T>>) =>
        Object.fromEntries(Object.entries(parts).filter(([name]) => !lacking.test(name)));
      const tables = Object.entries(without(schema.tables)).map(
        ([name, table]) => [name, { ...table, columns: without(table.columns) }] as const,
      );
      return new Server({ schema: { ...schema, tables: Object.fromEntries(tables) } });
    }

    test("is refused with the column's name where samples are asked for, and else needs nothing", async () => {
      const { remote } = older();
      const flags = [`--source=dir:${folder}`, `--nb=${remote}`, "--metrics-bind-address=127.0.0.1:0"];
      const off = startNorthgate(flags);
      running = off;
      await eventually(() => {
        expect(told(off, "initial synchronization is complete")).toHaveLength(1);
      }, 30_000);
      expect(await off.end()).toBe(0);
      expect(northgate("cleanup", `--nb=${remote}`, "--no-conditions", "--yes").code).toBe(0);
      const on = startNorthgate([...flags, "--observe=samples"]);
      running = on;
      await eventually(() => {
        expect(on.text()).toMatch(
          /OVN_Northbound [\d.]+ has no column ACL\.sample_new, which --observe needs/,
        );
      }, 30_000);
      expect(on.log().some(({ message }) => message === "initial synchronization is complete")).toBe(false);
    });
  });
});
