// --backend iptables, as a user types it: what render prints, what it refuses, and that the commands that answer say of every example
// what they say with the other backend.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { readRestoreText } from "../netfilter/restore-text.ts";
import { denyAllManifest } from "../support/deny-all.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(120_000));

const example = "examples/cluster-control";
const ofNode = ["--backend=iptables", "--zone=ovn-worker"];

describe("render", () => {
  test("prints what ipset and iptables-restore take", () => {
    const { code, stdout } = northgate("render", "-f", example, ...ofNode, "-o", "restore");
    expect(code).toBe(0);
    const { sets, chains } = readRestoreText(stdout);
    expect([...chains.v4.keys()]).toEqual([...chains.v6.keys()]);
    expect(chains.v4.get("FORWARD")).toEqual([
      { matches: [], verdict: { isGoto: false, target: "NG-FORWARD", options: [] } },
    ]);
    expect([...sets.keys()].filter((name) => name.startsWith("ng4-")).length).toBe(sets.size / 2);
    expect(sets.get("ng4-g-uybqtp5mjfdwf6ms")?.elements.size).toBe(8);
  });

  test("has a set of the node's pods, and everything else is equal on every node", () => {
    const [one, two] = ["ovn-worker", "ovn-worker2"].map((zone) =>
      northgate(
        "render",
        "-f",
        example,
        "--backend=iptables",
        `--zone=${zone}`,
        "-o",
        "restore",
      ).stdout.split("\n"),
    );
    const others = (lines: readonly string[] = []) =>
      lines.filter((line) => !/^add ng[46]-local /.test(line));
    expect(one).not.toEqual(two);
    expect(others(one)).toEqual(others(two));
  });

  test("warns of a node that has no pods, where no traffic would be filtered", () => {
    const ran = northgate(
      "render",
      "-f",
      example,
      "--backend=iptables",
      "--zone=ovn-wroker",
      "-o",
      "restore",
    );
    expect(ran).toMatchObject({
      ...{
        code: 0,
        stderr: "northgate: warning: --zone ovn-wroker: no pod of the manifests is on this node\n",
      },
    });
    expect(northgate("render", "-f", example, ...ofNode).stderr).toBe("");
  });

  test("prints tables and data, of the families that are asked for", () => {
    const v4 = northgate("render", "-f", example, ...ofNode, "--ip-families=ipv4");
    expect(v4.stdout).toMatch(/^IPv4: \d+ chains, \d+ rules, \d+ sets\n {2}-A NG-FORWARD /);
    expect(v4.stdout).not.toContain("IPv6");
    const data: unknown = JSON.parse(northgate("render", "-f", example, ...ofNode, "-o", "json").stdout);
    expect(data).toMatchObject({
      v4: { chains: expect.arrayContaining([expect.objectContaining({ name: "NG-FORWARD" })]) },
      v6: { sets: expect.arrayContaining([expect.objectContaining({ name: "ng6-local" })]) },
    });
  });

  test("with --deny drop sends no errors", () => {
    const { stdout } = northgate("render", "-f", example, ...ofNode, "--deny=drop", "-o", "restore");
    expect(stdout).toContain("-A NG-DENY -j DROP\n");
  });

  test.each<[string, readonly string[], string]>([
    ["no node", ["--backend=iptables"], "--zone is needed with --backend iptables"],
    ["another backend's form", ["-o", "restore"], '"restore" is not table, json, yaml'],
    ["a mark of one bit", [...ofNode, "--mark=0x1"], '--mark: "0x1" is not a hexadecimal number'],
    ["an unknown form of denial", [...ofNode, "--deny=ignore"], '"ignore" is not reject, drop'],
  ])("refuses %s", (_what, flags, message) => {
    expect(northgate("render", "-f", example, ...flags)).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining(message) },
    });
  });
});

test.each<[string, readonly string[], number]>([
  ["explain", ["--nb=unix:/none", "--from=10.0.0.1", "--to=10.0.0.2", "--protocol=icmp"], 2],
  ["get", ["--nb=unix:/none"], 2],
  ["lint", ["--nb=unix:/none"], 2],
  // Its 2 means that something differs.
  ["plan", ["--against=nb:unix:/none"], 1],
])("%s takes no remote of a database beside it", (command, flags, code) => {
  expect(northgate(command, "-f", example, "--backend=iptables", ...flags)).toMatchObject({
    ...{ code, stderr: expect.stringContaining("--backend iptables takes no remotes") },
  });
});

test.each([
  ["run", "nftables", "--iptables=legacy"],
  ["run", "nftables", "--mark=0x3000000"],
  ["render", "ovn", "--deny=drop"],
  ["get", "iptables", "--named-ports=sets"],
])("%s --backend %s refuses %s", (command, backend, flag) => {
  const world = command === "run" ? [] : ["-f", example];
  const [name = ""] = flag.split("=");
  expect(northgate(command, ...world, `--backend=${backend}`, "--zone=n", flag)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining(`${name}: has no meaning with --backend ${backend}`) },
  });
});

test.each([
  [["run"], "--zone is needed with --backend iptables: the name of the node"],
  [["run", "--zone=n", "--nb=unix:/x"], "--nb: --backend iptables takes no remotes"],
  [
    ["run", "--zone=n", "--wait=hv"],
    "--wait: --backend iptables has no chassis: what is written is in force",
  ],
  [["run", "--zone=n", "--iptables=new"], '--iptables: "new" is not auto, nft, legacy'],
  [
    ["run", "--zone=n", "--ip-range=10.0.0.0/8,all"],
    '--ip-range: "10.0.0.0/8,all" is not a list of networks, as 10.244.0.0/16,fd00::/48',
  ],
  [["run", "--zone=n", "--conditions=maybe"], '--conditions: "maybe" is not auto, true, false'],
  [["cleanup", "--nb=unix:/x"], "--nb: --backend iptables takes no remotes"],
])("%j is wrong usage", (args, why) => {
  expect(northgate(...args, "--backend=iptables")).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining(why) },
  });
});

describe("the other commands", () => {
  let edited: string;

  beforeAll(() => {
    edited = mkdtempSync(join(tmpdir(), "ng-netfilter-"));
    cpSync(example, edited, { recursive: true });
    writeFileSync(join(edited, "second.yaml"), denyAllManifest);
  });
  afterAll(() => {
    rmSync(edited, { recursive: true });
  });

  test.each([
    "cluster-control",
    "cluster-network-policy",
    "multi-tenant/policies",
    "network-policy",
    "antrea/policies",
  ])("lint and get say the same of %s", (name) => {
    const path = `examples/${name}`;
    const installed = name.startsWith("antrea") ? ["--enable-antrea-policies"] : [];
    const both = (command: string, ...flags: readonly string[]) =>
      ["ovn", "iptables", "nftables"].map((backend) => {
        const { code, stdout } = northgate(
          command,
          "-f",
          path,
          `--backend=${backend}`,
          ...installed,
          ...flags,
        );
        return [code, withoutRows(stdout)];
      });
    for (const answers of [both("lint", "-o", "json"), both("get", "-o", "json")])
      expect(answers.slice(1)).toEqual([answers[0], answers[0]]);
  });

  test("plan judges the same classes, and compares chains and sets", () => {
    const reports = ["ovn", "iptables", "nftables"].map((backend) => {
      const flags = ["-f", edited, `--backend=${backend}`, `--against=dir:${example}`, "-o", "json"];
      return JSON.parse(northgate("plan", ...flags).stdout) as Readonly<Record<string, unknown>>;
    });
    const [ovn, ...filters] = reports.map((report) => ({ ...report, rows: null }));
    expect(filters).toEqual([ovn, ovn]);
    for (const report of reports.slice(1))
      expect(report).toMatchObject({ rows: { change: expect.any(Number), delete: 0 } });
    const text = northgate(
      "plan",
      "-f",
      edited,
      "--rows",
      "--backend=iptables",
      `--against=dir:${example}`,
    ).stdout;
    expect(text).toMatch(/\+ chain NG-IP-[a-z2-7]{16}/);
  });

  test("explain gives the same answer", () => {
    const flags = ["-f", example, "--from=10.244.2.6", "--to=192.0.2.7", "--protocol=tcp", "--port=443"];
    const [ovn, ...filters] = ["ovn", "iptables", "nftables"].map((name) =>
      northgate("explain", ...flags, `--backend=${name}`),
    );
    expect(filters).toEqual([ovn, ovn]);
  });

  test.each(["iptables", "nftables"])(
    "what is outside --ip-range passes with %s, and get lists no policy for it",
    (name) => {
      const asked = ["-f", example, `--backend=${name}`, "--ip-range=10.244.0.0/16,fd00:10:244::/48"];
      const flags = ["--from=10.244.2.6", "--protocol=tcp", "--port=443"];
      const explained = (to: string) => northgate("explain", ...asked, ...flags, `--to=${to}`).stdout;
      expect(explained("192.0.2.7")).toMatch(/^ALLOW[^]*NorthgateOutside ip-range .*◀ decides/);
      expect(explained("10.244.77.7")).toMatch(/^DENY/);
      expect(northgate("get", ...asked).stdout).not.toContain("NorthgateOutside");
      const text = northgate("render", ...asked, "--zone=ovn-worker", "-o", "restore").stdout;
      expect(text).toContain('comment "NorthgateOutside/ip-range egress 0"');
    },
  );
});

/** How many rows a policy has is the backend's. */
function withoutRows(text: string): string {
  return text.replaceAll(/\n *"rows": \{[^}]*\},?/g, "");
}
