// The dialect of tests as a part of the product: its folder, one line in the list of dialects and its lines in the layer rules make
// its kinds, its switch, its option and its tier known to every command, to the claim and to the metrics.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { eventually } from "../support/eventually.ts";
import type { ExtendedProgram } from "../support/extended-program.ts";
import { changedFiles } from "../support/extended-program.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { northgateAt, startNorthgate } from "../support/program.ts";
import { rules, trafficProgram } from "./program.ts";

jest.setTimeout(patience(180_000));

const repository = fileURLToPath(new URL("../..", import.meta.url));
let program: ExtendedProgram;
let folder: string;

const manifests = fileURLToPath(new URL("cluster.yaml", import.meta.url));
/**
 * In a tier of the dialect, which comes before every other: what it denies, no other policy allows. It has no priority, which makes
 * it the last one of its tier.
 */
const early = `apiVersion: traffic.test/v1
kind: TrafficPolicy
metadata: { name: no-guests }
spec:
  tier: early
  appliedTo: [{ set: stores }]
  ingress:
    - action: deny
      peers: [{ pods: { namespaces: { matchLabels: { team: guests } } } }]
---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: { name: all }
spec:
  priority: 0
  subject: { namespaces: {} }
  ingress: [{ name: all, action: Allow, from: [{ namespaces: {} }] }]
`;

beforeAll(() => {
  program = trafficProgram();
  folder = mkdtempSync(join(tmpdir(), "ng-line-"));
  writeFileSync(join(folder, "early.yaml"), early);
});
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true });
});

const objects = () => ["-f", manifests, "-f", folder];
const northgate = (...args: readonly string[]) => northgateAt(program.main, ...args);

describe("a dialect is one folder and one line", () => {
  test("two files outside its folder are changed, and no layer rule is broken", () => {
    expect(changedFiles(program, "traffic")).toEqual([rules, "src/dialects.ts"]);
    const cli = join(repository, "node_modules", "dependency-cruiser", "bin", "dependency-cruiser.mjs");
    const said = execFileSync(process.execPath, [cli, "--config", rules, "src"], {
      ...{ cwd: program.root, encoding: "utf8" },
    });
    expect(said).toContain("no dependency violations found");
  });

  test("its switch and its option are flags of the commands that they are for, checked and explained", () => {
    const helped = (command: string) =>
      northgate(command, "--help")
        .stdout.split("\n")
        .filter((line) => line.includes("traffic"))
        .map((line) => line.trim().split("  ")[0]);
    const option = "--traffic-log-denied <SEVERITY>";
    expect(helped("run")).toEqual(["--enable-traffic-policy <BOOLEAN>", option]);
    expect(helped("render")).toEqual(["--enable-traffic-policy <BOOLEAN>", option]);
    for (const command of ["plan", "explain", "get", "lint", "ui"]) expect(helped(command)).toEqual([option]);
    for (const command of ["migrate", "cleanup"]) expect(helped(command)).toEqual([]);
    expect(northgate("render", ...objects(), "--traffic-log-denied=loud")).toMatchObject({
      ...{
        code: 2,
        stderr: expect.stringContaining('"loud" is not off, alert, warning, notice, info, debug'),
      },
    });
  });

  test("render makes its rows, with the option obeyed, and none where it is off", () => {
    const rendered = (...flags: readonly string[]) => {
      const { code, stdout, stderr } = northgate("render", ...objects(), "-o", "json", ...flags);
      const isOff = flags.includes("--enable-traffic-policy=false");
      expect([
        code,
        stderr.includes("3 TrafficPolicy.traffic.test, 2 ServiceAccount, 1 PodSet.traffic.test"),
      ]).toEqual([0, isOff]);
      return stdout;
    };
    const denied = (text: string) =>
      (JSON.parse(text) as { ACL: { name: string; severity: string | null; tier: number }[] }).ACL.filter(
        ({ name }) => name.startsWith("TP:no-guests"),
      );
    expect(denied(rendered()).map(({ severity, tier }) => ({ severity, tier }))).toEqual([
      { severity: null, tier: 0 },
    ]);
    expect(denied(rendered("--traffic-log-denied=alert"))).toMatchObject([{ severity: "alert" }]);
    expect(rendered("--enable-traffic-policy=false")).not.toContain("TrafficPolicy");
  });

  test("explain, get, lint and plan know its policies, by its tier and the object that they refer to", () => {
    const asked = ["--from", "guests/guest", "--to", "shop/data", "--protocol", "tcp", "--port", "80"];
    const explained = northgate("explain", ...objects(), ...asked);
    expect(explained).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/DENY[\s\S]*early +no-guests[^\n]* decides/),
    });
    expect(northgate("get", ...objects())).toMatchObject({
      ...{ code: 0, stdout: expect.stringMatching(/TrafficPolicy +.*no-guests/) },
    });
    expect(northgate("lint", ...objects(), "--rule", "NG001")).toMatchObject({ code: 0 });
    const outputs = [
      northgate("explain", ...objects(), ...asked, "-o", "json"),
      northgate("get", ...objects(), "-o", "json"),
    ];
    for (const { code, stdout } of outputs) {
      expect([code, JSON.stringify(JSON.parse(stdout))]).toEqual([0, expect.stringContaining("no-guests")]);
      expect(stdout).toContain('"priority": null');
    }
    const planned = northgate("plan", "-f", manifests, ...["-f", folder], "--against", `dir:${folder}`);
    expect(planned.stdout).toContain("+ TrafficPolicy shop");
  });
});

await describeWithOvn("a dialect of one line, in a program that runs", () => {
  let ovn: Ovn;
  let running: Running | null = null;
  const flags = ["--enable-traffic-policy=true", "--traffic-log-denied=warning"];

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterEach(async () => {
    await running?.end("SIGKILL");
    running = null;
  });
  afterAll(async () => {
    await ovn.stop();
  });

  const owned = async () =>
    (
      await ovn.nbctl(
        "--format=csv",
        "--no-headings",
        "--columns=severity",
        "find",
        "ACL",
        'external_ids:"k8s.ovn.org/owner-type"=TrafficPolicy',
      )
    )
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .sort();
  const start = (...given: readonly string[]) => {
    cpSync(manifests, join(folder, "cluster.yaml"));
    running = startNorthgate(
      [`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0", ...given],
      ...([{}, {}, "json"] as const),
      program.main,
    );
    return running;
  };

  test("it writes rows, claims with its flags, counts its policies, and leaves the rows when it is switched off", async () => {
    const one = start(...flags);
    await eventually(async () => {
      expect(await owned()).toContain("warning");
    }, 30_000);
    expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toContain(
      "enable-traffic-policy=true names=off stateless-network-policy=false antrea-log-severity=info antrea-persist-established=false traffic-log-denied=warning",
    );
    const served = one.log().find(({ message }) => message === "metrics are served");
    const metrics = await (await fetch(`${String(served?.["address"])}/metrics`)).text();
    expect(metrics).toContain("northgate_traffic_policies 3\n");
    expect(await one.end()).toBe(0);
    const before = await owned();
    const other = start();
    await eventually(() => {
      expect(other.text()).toContain("rows of a disabled kind stay in force");
    }, 30_000);
    expect(await other.end()).toBe(0);
    running = null;
    expect(await owned()).toEqual(before);
  });

  test("cleanup removes its rows where it is named, and only there", async () => {
    const before = await owned();
    expect(before.length).toBeGreaterThan(0);
    const cleanup = (...given: readonly string[]) =>
      northgate("cleanup", `--nb=${ovn.nb}`, "--yes", "--no-conditions", ...given);
    expect(cleanup()).toMatchObject({ code: 0 });
    expect(await owned()).toEqual(before);
    expect(cleanup("--kind=TrafficPolicy")).toMatchObject({ code: 0 });
    expect(await owned()).toEqual([]);
  });
});
