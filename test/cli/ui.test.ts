// `northgate ui` and `run --ui` as processes: the address that they print, what they refuse, and, with a real Northbound
// database, live counts that are the rows' and what is pending.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { PodOverview } from "../../src/explain/overview.ts";
import type { PodShown, PoliciesShown, StateShown } from "../../src/ui/shown.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { northgate, startNorthgate } from "../support/program.ts";

jest.setTimeout(patience(60_000));

test.each([
  [["--listen", "here"], 2, '--listen: "here" is not HOST:PORT'],
  [["--listen", "0.0.0.0:0"], 2, "--listen: other machines can reach 0.0.0.0: --ui-cert and --ui-key, and"],
  [["--ui-hosts", "a:80"], 2, '--ui-hosts: "a:80" is not the name of a host'],
  [["--plan-against", "kube"], 2, "--plan-against: only dir:PATH can be compared with"],
  [["-f", "/nowhere/at/all"], 1, "/nowhere/at/all: error: no such file or directory"],
] as const)("northgate ui %j ends with %i", (args, code, line) => {
  const ran = northgate("ui", ...args);
  expect([ran.code, ran.stderr.trim()]).toEqual([code, expect.stringContaining(line)]);
});

await describeWithOvn("run --ui", () => {
  const coredns = "kube-system/coredns-76f75df574-5sn7h";
  let ovn: Ovn;
  let folder: string;
  let running: Running;
  let address = "";

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
    cpSync("examples/cluster-control", folder, { recursive: true });
    const own = ["--metrics-bind-address", "off", "--ui", "127.0.0.1:0"];
    running = startNorthgate(["--source", `dir:${folder}`, "--nb", ovn.nb, ...own]);
    await eventually(() => {
      const line = running.log().find(({ message }) => message === "the page is served");
      expect(line?.["address"]).toMatch(/^http:/);
      address = String(line?.["address"]);
    });
  });
  afterAll(async () => {
    await running.end();
    await ovn.stop();
    rmSync(folder, { recursive: true });
  });

  const get = async <T>(path: string): Promise<T> => (await fetch(address + path)).json() as Promise<T>;
  const live = async () => {
    const { isReady, live: told } = await get<StateShown>("/api/state");
    return {
      isReady,
      ...{ pending: told?.pending, unenforced: told?.unenforced },
      counts: new Map(told?.counts.map(({ name, value }) => [name, value])),
    };
  };

  test("says what is pending, and once the rows stand counts them", async () => {
    // Of this database no more can be had: it has no cluster.
    const lacking = "no policy is enforced: the Northbound database has no logical switch";
    // What the controller says of itself can arrive before the objects.
    await eventually(async () => {
      expect(await live()).toMatchObject({ isReady: true, unenforced: [lacking], pending: [] });
    });
    const { policies } = await get<PoliciesShown>("/api/policies");
    expect(policies.map(({ notInForce }) => notInForce)).toEqual(["NoNetwork", "NoNetwork"]);
    const { counts } = await live();
    const rows = JSON.parse(northgate("render", "-f", folder, "-o", "json").stdout) as Record<
      string,
      unknown[]
    >;
    expect([counts.get("ACLs"), counts.get("port groups"), counts.get("address sets")]).toEqual(
      ["ACL", "Port_Group", "Address_Set"].map((table) => rows[table]?.length),
    );
    expect([counts.get("policies in force"), counts.get("policies refused")]).toEqual([2, 0]);
    expect(new URL(address).hostname).toBe("127.0.0.1");
  });

  test("answers as `get` does, and follows an edit", async () => {
    const { totals, refused, end, group, ...told } = await get<PodShown>(`/api/pod?pod=${coredns}`);
    expect(totals).toEqual({ ingress: { admin: 5, baseline: 1 }, egress: { admin: 6, baseline: 1 } });
    expect(refused).toEqual([]);
    expect(end).toBe(coredns);
    const title = "kube-system/[app=dns]";
    expect(group).toEqual({ end: title, title });
    expect(told).toEqual(JSON.parse(northgate("get", "pod", coredns, "-f", folder, "-o", "json").stdout));
    const { revision } = await get<StateShown>("/api/state");
    writeFileSync(join(folder, "policies", "default-baseline.yaml"), "kind: Nothing\n");
    rmSync(join(folder, "policies", "default-baseline.yaml"));
    await eventually(async () => {
      const { egress } = await get<PodOverview>(`/api/pod?pod=${coredns}`);
      expect(egress.map(({ tier }) => tier)).not.toContain("baseline");
    });
    expect((await get<StateShown>("/api/state")).revision).not.toBe(revision);
    expect((await fetch(`${address}/api/state`, { method: "POST" })).status).toBe(405);
  });

  test("a controller that holds its rows back says so in the first line", async () => {
    await running.end();
    const own = ["--metrics-bind-address", "off", "--ui", "127.0.0.1:0", "--zone", "ovn-wroker"];
    running = startNorthgate(["--source", `dir:${folder}`, "--nb", ovn.nb, ...own]);
    await eventually(async () => {
      const line = running.log().find(({ message }) => message === "the page is served");
      address = String(line?.["address"]);
      const { unenforced = [], pending = [] } = await live();
      expect(unenforced[0]).toContain("ovn-wroker");
      expect(pending.filter((one) => unenforced.includes(one))).toEqual([]);
    });
  });
});
