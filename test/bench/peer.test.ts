// `make bench W=peer` without a checkout: what it is asked for, what is no checkout, what the peer's program says and is told.
// With one it is run by hand.

import { afterEach, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { moduleOf, overlayOf } from "../../bench/peer/build.ts";
import { commonTo } from "../../bench/peer/contestant.ts";
import type { ContestResult } from "../../bench/peer/contest.ts";
import { peerChangeOf } from "../../bench/peer/objects.ts";
import { PeerProcess } from "../../bench/peer/process.ts";
import { reportOf, usedOf } from "../../bench/peer/protocol.ts";
import { contestsOf } from "../../bench/peer/settings.ts";
import { contestLines } from "../../bench/peer/text.ts";
import { churnPod } from "../../bench/workloads/churn.ts";
import { gone, made, worldOf } from "../../bench/workloads/world.ts";
import { parseNode } from "../../src/informers/objects/node.ts";
import { parsePod } from "../../src/informers/objects/pod.ts";
import { small } from "./support.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderWith(...files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "peer-"));
  folders.push(folder);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "");
  }
  return folder;
}

describe("what is asked for", () => {
  test("W1 and W2 in both forms, each workload one contest", () => {
    const { contests, out } = contestsOf({});
    const named = contests.map((runs) => runs.map(({ workload, mode }) => `${workload.name} ${mode}`));
    expect(named).toEqual([
      ["W1 central", "W1 shared"],
      ["W2 central", "W2 shared"],
    ]);
    expect(contests.flat().map(({ events }) => events)).toEqual(Array(4).fill(["pod"]));
    expect(out).toBe("bench/results/peer.json");
  });

  test.each([
    [{ WORKLOADS: "W1-cnp" }, "WORKLOADS=W1-cnp: its policies are no AdminNetworkPolicies"],
    [{ MODE: "node" }, "MODE=node: beside the peer there are central and shared"],
    [{ CHASSIS: "1" }, "CHASSIS: beside the peer there is no chassis"],
    [{ EVENTS: "pod,restart" }, "EVENTS=restart: beside the peer there is no restart"],
  ])("%j is refused", (env, message) => {
    expect(() => contestsOf(env)).toThrow(message);
  });
});

describe("the command", () => {
  const run = (env: NodeJS.ProcessEnv) => {
    const program = fileURLToPath(new URL("../../bench/peer.ts", import.meta.url));
    return spawnSync(process.execPath, [program], {
      encoding: "utf8",
      env: { ...process.env, PEER: "", ...env },
    });
  };

  test("without a checkout it says SKIPPED", () => {
    const { status, stdout, stderr } = run({});
    expect(stderr).toBe("SKIPPED: beside the peer: PEER names no checkout of ovn-kubernetes\n");
    expect([status, stdout]).toEqual([0, ""]);
  });

  test("a folder that is no checkout is a wrong argument", () => {
    const folder = folderWith("go-controller/go.mod");
    const { status, stderr } = run({ PEER: folder });
    expect(stderr).toBe(
      `PEER=${folder}: no checkout of ovn-kubernetes: no go-controller/vendor/modules.txt\n`,
    );
    expect(status).toBe(2);
  });
});

test("the driver is laid over the checkout, every file of it, and nothing is written there", () => {
  const files = ["go.mod", "vendor/modules.txt", "pkg/ovn/controller/admin_network_policy/x.go"];
  const checkout = folderWith(...files.map((file) => `go-controller/${file}`));
  const before = readdirSync(checkout, { recursive: true });
  const module = moduleOf(checkout);
  const { Replace: over } = overlayOf(module) as { readonly Replace: Readonly<Record<string, string>> };
  const driver = fileURLToPath(new URL("../../bench/peer/driver/", import.meta.url));
  expect(Object.values(over).toSorted()).toEqual(
    readdirSync(driver)
      .map((name) => join(driver, name))
      .toSorted(),
  );
  for (const path of Object.keys(over)) expect(dirname(path)).toBe(join(module, "cmd/northgate-peer"));
  expect(readdirSync(checkout, { recursive: true })).toEqual(before);
});

describe("marks", () => {
  const mark = { at: 5.5, cpuMs: 7 };
  const report = { ...mark, peakRssBytes: 9, quietAt: 5, ports: 3, retries: 0, changed: { at: 4, cpuMs: 6 } };

  test("are read", () => {
    expect(usedOf(JSON.stringify(mark))).toEqual(mark);
    expect(reportOf(JSON.stringify(report))).toEqual(report);
  });

  test.each(["", "panic: no such request", "null", "[]", '{"at":1}', '{"at":"1","cpuMs":2}'])(
    "not %j",
    (line) => {
      expect(() => usedOf(line)).toThrow("the peer's program answered without a number");
    },
  );

  test.each(["peakRssBytes", "quietAt", "ports", "changed"])("not a report without %s", (name) => {
    const without = Object.fromEntries(Object.entries(report).filter(([key]) => key !== name));
    expect(() => reportOf(JSON.stringify(without))).toThrow("the peer's program answered without a number");
  });

  test("a program that ends is said, not waited for", async () => {
    const setup = { nb: "unix:none", node: "node-0", changes: [] };
    await expect(PeerProcess.prepare("/bin/false", setup)).rejects.toThrow("the peer's program ended with 1");
    await expect(PeerProcess.prepare("/no/such/program", setup)).rejects.toThrow("ENOENT");
    const folder = folderWith();
    const program = join(folder, "driver");
    writeFileSync(program, '#!/bin/sh\nread -r asked\necho \'{"at":1,"cpuMs":2}\'\nread -r asked\nexit 7\n', {
      mode: 0o755,
    });
    const peer = await PeerProcess.prepare(program, setup);
    expect(peer.preparedCpuMs).toBe(2);
    const never = peer.whileRunning(new Promise<void>(() => undefined));
    peer.start();
    await expect(never).rejects.toThrow("the peer's program ended with 7");
    await expect(peer.report()).rejects.toThrow("the peer's program does not run");
    await peer.stop();
  });
});

describe("what the program is told", () => {
  const served = (object: unknown): unknown => JSON.parse(JSON.stringify(object));

  test("a pod and a node are the facts of the workload, but for the pod's node", () => {
    const pod = churnPod(3, small);
    const { kind, key, object } = peerChangeOf(made(pod), "node-9");
    expect([kind, key]).toEqual(["Pod", `Pod/${pod.namespace}/${pod.name}`]);
    expect(parsePod(served(object)).object).toMatchObject({ ...pod, node: "node-9" });
    const [node] = worldOf(small).nodes;
    if (node === undefined) throw new Error("there is no node");
    const told = parseNode(served(peerChangeOf(made(node), "node-9").object)).object;
    expect(told).toMatchObject({ name: node.name, labels: node.labels, ips: node.ips });
  });

  test("a policy has its spec, and what is deleted has no object", () => {
    const [policy] = worldOf(small).policies;
    if (policy === undefined) throw new Error("there is no policy");
    const told = peerChangeOf(made(policy), "node-9");
    expect(told).toMatchObject({ kind: "AdminNetworkPolicy", object: { spec: policy.spec } });
    expect(peerChangeOf(gone(policy), "node-9")).toEqual({ ...told, object: null });
  });
});

test("of an ACL of named ports the match is not compared, of every other one it is", () => {
  const image = { name: "a", match: "tcp", priority: "1" };
  expect(commonTo("c:AdminNetworkPolicy:p:Ingress:9:tcp-namedPort", image)).toEqual({ ...image, match: "" });
  expect(commonTo("c:AdminNetworkPolicy:p:Ingress:9:tcp", image)).toBe(image);
  const set = { name: "s", addresses: "1.2" };
  expect(commonTo("c:AdminNetworkPolicy:odd-namedPort", set)).toBe(set);
});

test("the table has medians, the peer's over ours, and ours over the floor", () => {
  const ours = { allMs: 100, quietMs: 120, cpuMs: 90, peakRssBytes: 50e6 };
  const cold = {
    peer: { allMs: 300, quietMs: 600, cpuMs: 500, peakRssBytes: 150e6, retries: 3 },
    forms: { central: { ours, floorMs: 50 } },
  };
  const event = (peerMs: number | null, oursMs: number) => ({
    peer: { allMs: peerMs, cpuMs: 40 },
    forms: { central: { ours: { allMs: oursMs, cpuMs: 2 }, floor: { allMs: 1 }, rows: 1 } },
  });
  const result = {
    ...{ workload: small, modes: ["central"], cold: [cold] },
    events: {
      "pod added": [event(10, 5), event(30, 1), event(20, 2)],
      "pod's address changed": [event(null, 2)],
    },
  };
  const lines = contestLines(result as unknown as ContestResult).map((line) => line.trim().split(/ {2,}/));
  expect(lines).toEqual([
    ["W2: medians in ms"],
    ["n", "peer", "CPU", "documented", "CPU", "peer over", "over floor"],
    ["cold start, rows right", "1", "300", "500", "100", "90", "3.0 x", "2.0 x"],
    ["cold start, quiet", "1", "600", "500", "120", "90", "5.0 x", "2.4 x"],
    ["pod added", "3", "20", "40", "2.0", "2.0", "10 x", "2.0 x"],
    ["pod's address changed", "1", "-", "40", "2.0", "2.0", "-", "2.0 x"],
    ["quiet: until the contestant had nothing left to do; CPU of a start until then"],
    ["the peer put 3 items back that had failed"],
    ["peak RSS after the start, MB: peer 150, documented 50"],
  ]);
});
