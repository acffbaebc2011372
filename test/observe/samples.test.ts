// That what is seen of a node is what was sent: real samples of a real switch, from the rows of `run --observe samples` to the lines of
// `northgate observe`. The rows of Open vSwitch come with the first watcher and go with the reader, also after one that was killed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { CanReport } from "../../src/can/report.ts";
import type { SeenEvent } from "../../src/observe/decode/event.ts";
import { limits } from "../../src/observe/ipfix/parser.ts";
import { mostInSecond } from "../../src/observe/ipfix/receiver.ts";
import { placeText, policyText } from "../../src/observe/rule.ts";
import { everyPacket } from "../proof/samples.ts";
import { blue, facts, green, pods, red } from "../proof/teams.ts";
import { eventually } from "../support/eventually.ts";
import { ranIn } from "../support/in-process.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { anp } from "../support/policies.ts";
import type { Running } from "../support/program.ts";
import { northgate } from "../support/program.ts";
import { collectorRows, follow, recording, sampling, socketOf, startReader, vsctl } from "./node-reader.ts";
import { flood, recordsInSecond } from "./flood.ts";
import { flowText, openedIn, readRecord, sentText, threeTiers, trafficOf } from "./recorded.ts";
import { Stage, webOfRed } from "./stage.ts";
import { highestMemoryKb } from "../support/highest-memory.ts";

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const { redA, redB, blueA, blueB, greenA } = pods;

const policies = [
  anp("deny-db", {
    ...{ priority: 5, subject: blue },
    ingress: [
      { action: "Deny", from: [green], ports: [tcp(81)] },
      { action: "Pass", from: [red], ports: [tcp(82), tcp(83)] },
      { action: "Allow", from: [red] },
    ],
  }),
  webOfRed,
];

await describeWithDataplane("samples of a node", () => {
  let stage: Stage;
  let reader: Running;
  const socket = () => socketOf(stage);
  const answers = () =>
    eventually(async () => {
      expect((await ranIn(tmpdir(), ["observe", "--socket", socket()])).code).toBe(0);
    });
  const begin = async (metrics?: string) => {
    reader = startReader(stage, metrics);
    await answers();
  };

  beforeAll(async () => {
    stage = await Stage.open(everyPacket);
    await stage.become(policies);
    reader = startReader(stage);
  });
  afterAll(async () => {
    await reader.end("SIGKILL");
    await stage.close();
  });

  const shown = ({ verdict, connection, from, to, protocol, port, rule }: SeenEvent) => {
    const name = ({ pod, ip }: SeenEvent["from"]) => (pod === null ? ip : `${pod.namespace}/${pod.name}`);
    const judge = rule === null ? "none" : `${policyText(rule)} ${placeText(rule)}`;
    return `${verdict} ${connection} ${name(from)} ${name(to)} ${protocol} ${port} ${judge}`;
  };
  const tallied = (events: readonly SeenEvent[]) =>
    Object.fromEntries(
      Map.groupBy(events, shown)
        .entries()
        .map(([text, all]) => [text, all.length]),
    );

  test("name the pods and the rule of each connection, by every action", async () => {
    await answers();
    // Nobody follows: nothing is sampled.
    expect(await collectorRows(stage)).toEqual([]);
    const all = follow(stage, "--established");
    const denied = follow(
      stage,
      "--verdict",
      "dropped",
      "--to-port",
      "81",
      "--pod",
      "blue/b",
      "--policy",
      "deny-db",
    );
    try {
      await sampling(stage);
      await stage.send({ from: greenA, to: blueB, port: 81, count: 40 });
      await stage.send({ from: redA, to: blueB, port: 82, count: 20 });
      await stage.send({ from: redA, to: blueB, port: 83, count: 10, family: "v6" });
      await stage.send({ from: redA, to: blueB, port: 53, count: 15, protocol: "udp" });
      expect(await stage.talk(redB, blueA).shaken()).toEqual([true, true, true, true, true]);
      const opened = {
        "dropped new green/a blue/b tcp 81 AdminNetworkPolicy deny-db ingress[0]": 40,
        "passed new red/a blue/b tcp 82 AdminNetworkPolicy deny-db ingress[1]": 20,
        "allowed new red/a blue/b tcp 82 NetworkPolicy blue/web ingress[0]": 20,
        "passed new red/a blue/b tcp 83 AdminNetworkPolicy deny-db ingress[1]": 10,
        "dropped new red/a blue/b tcp 83 NetworkPolicy blue ingress isolation": 10,
        "allowed new red/a blue/b udp 53 AdminNetworkPolicy deny-db ingress[2]": 15,
        "allowed new red/b blue/a tcp 80 AdminNetworkPolicy deny-db ingress[2]": 1,
      };
      const later = "allowed established red/b blue/a tcp 80 AdminNetworkPolicy deny-db ingress[2]";
      await eventually(() => {
        const { [later]: established, ...others } = tallied(all.events());
        expect(others).toEqual(opened);
        // Both ways of one connection, named by its client; a second may begin in between.
        expect(established).toBeGreaterThanOrEqual(2);
      });
      expect(new Set(all.events().map(({ isReply }) => isReply))).toEqual(new Set([false, true]));
      await eventually(() => {
        expect(denied.events()).toHaveLength(40);
      });
    } finally {
      expect([await all.end(), await denied.end()]).toEqual([0, 0]);
    }
  });

  test("are kept for those that ask later", async () => {
    const asked = ["observe", "--socket", socket(), "--verdict", "dropped", "--to-port", "83"];
    const { stdout, code } = await ranIn(tmpdir(), asked);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^(\d\d:\d\d:\d\d dropped {2}red\/a → blue\/b tcp 83 {2}NetworkPolicy blue ingress isolation\n){10}$/,
    );
    const data: unknown = JSON.parse((await ranIn(tmpdir(), [...asked, "-o", "json"])).stdout);
    expect(data).toHaveLength(10);
  });

  test("of a rule that is no longer there are still named", async () => {
    const all = follow(stage, "--verdict", "dropped", "--to-port", "81");
    try {
      await sampling(stage);
      await stage.send({ from: greenA, to: blueB, port: 81, count: 3 });
      await eventually(() => {
        expect(all.events()).toHaveLength(43); // with those of the first test
      });
      // Its ACL goes, with the Sample, before the samples of these have come.
      await stage.send({ from: greenA, to: blueA, port: 81, count: 4 });
      await stage.become(policies.slice(1), facts);
      await eventually(() => {
        const deny = "AdminNetworkPolicy deny-db ingress[0]";
        expect(tallied(all.events())).toEqual({
          [`dropped new green/a blue/b tcp 81 ${deny}`]: 43,
          [`dropped new green/a blue/a tcp 81 ${deny}`]: 4,
        });
      });
    } finally {
      await all.end();
    }
  });

  test("end with the reader: its rows are removed, and those of one that was killed by the next", async () => {
    expect(await collectorRows(stage)).toEqual([String(everyPacket.setId)]);
    await reader.end("SIGKILL");
    expect(await collectorRows(stage)).toEqual([String(everyPacket.setId)]);
    const asked = await ranIn(tmpdir(), ["observe", "--socket", socket()]);
    expect(asked).toMatchObject({ code: 1, stdout: "" });
    expect(asked.stderr).toMatch(
      /^northgate: no reader of this node answers: .*; is northgate observe-node running\?\n$/,
    );
    reader = startReader(stage);
    await eventually(async () => {
      expect(await collectorRows(stage)).toEqual([]);
    });
    const all = follow(stage);
    await sampling(stage);
    await all.end();
    expect(await reader.end()).toBe(0);
    expect(await collectorRows(stage)).toEqual([]);
  });

  test("a set of another program is left alone, and those that watch are told", async () => {
    const foreign = ["create", "Flow_Sample_Collector_Set", `id=${everyPacket.setId}`, "bridge=@b"];
    const [uuid = ""] = await vsctl(stage, "--id=@b", "get", "bridge", "br-int", "--", ...foreign);
    await begin();
    const all = follow(stage);
    try {
      await eventually(async () => {
        const { stderr } = await ranIn(tmpdir(), ["observe", "--socket", socket()]);
        expect(stderr).toContain("northgate: the rows of Open vSwitch cannot be written: ");
      });
      expect(await vsctl(stage, "--bare", "--columns=_uuid", "find", ...foreign.slice(1, 3))).toEqual([uuid]);
    } finally {
      await all.end();
    }
    await vsctl(stage, "destroy", "Flow_Sample_Collector_Set", uuid);
    const again = follow(stage);
    await sampling(stage);
    await again.end();
    expect(await reader.end()).toBe(0);
    expect(await collectorRows(stage)).toEqual([]);
  });

  test("of a flood of 50,000 records a second are read up to the limit; then all is seen as before", async () => {
    const isolated = "dropped new red/a blue/b tcp 81 NetworkPolicy blue ingress isolation";
    await begin("127.0.0.1:0");
    const all = follow(stage);
    try {
      await sampling(stage);
      const metrics = () =>
        String(reader.log().find(({ message }) => message === "metrics are served")?.["address"]);
      const fate = async (result: string) => {
        const text = await (await fetch(`${metrics()}/metrics`)).text();
        return Number(
          new RegExp(`^northgate_samples_total\\{result="${result}"\\} (\\d+)$`, "m").exec(text)?.[1],
        );
      };
      const [target = ""] = await vsctl(
        stage,
        "--bare",
        "--columns=targets",
        "find",
        "IPFIX",
        "external_ids:owner=northgate",
      );
      expect(recordsInSecond).toBe(50_000);
      const before = await fate("read");
      const begun = performance.now();
      const { sent, sum, close } = await flood(target, 3);
      const asked = ["observe", "--socket", socket(), "--to-port", "1"];
      expect(await ranIn(tmpdir(), asked)).toMatchObject({ code: 0, stdout: "" });
      const read = (await fate("read")) - before;
      const readSeconds = Math.ceil((performance.now() - begun) / 1000) + 1;
      expect(read).toBeLessThanOrEqual((mostInSecond + limits.recordsOfMessage) * readSeconds);
      expect(read).toBeLessThan(sent);
      // What the kernel had no room for is counted too, where a busy machine reads less than the limit.
      try {
        await eventually(async () => {
          await sum();
          expect((await fate("read")) - before + (await fate("lost"))).toBe(sent);
        });
      } finally {
        close();
      }
      expect(await fate("malformed")).toBe(0);
      // A third of what the DaemonSet allows it.
      expect(highestMemoryKb(reader.child.pid)).toBeLessThan(170 * 1024);
      await eventually(async () => {
        await stage.send({ from: redA, to: blueB, port: 81, count: 5 });
        const { [isolated]: seen } = tallied(all.events());
        expect(seen).toBeGreaterThanOrEqual(5);
      });
    } finally {
      await all.end();
    }
    expect(await reader.end()).toBe(0);
    expect(await collectorRows(stage)).toEqual([]);
  });

  test("of the three-tier example, recorded, give policies that change nothing of the record and allow nothing else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ng-recorded-"));
    const [flows, recommended] = [join(folder, "flows.json"), join(folder, "shop.yaml")];
    const { path, objects } = openedIn(folder);
    try {
      await stage.move(objects);
      await stage.become([], objects);
      await reader.end("SIGKILL");
      await begin();
      // Those of a reader that was killed would have its port.
      await eventually(async () => {
        expect(await collectorRows(stage)).toEqual([]);
      });
      const watching = recording(stage, flows);
      await sampling(stage);
      const traffic = trafficOf(objects, 3);
      for (const one of traffic) expect(await stage.send(one)).toBe(3);
      const seen = async () => {
        const { stdout } = await ranIn(tmpdir(), ["observe", "--socket", socket(), "-o", "ndjson"]);
        return new Set(
          stdout
            .split("\n")
            .slice(0, -1)
            .map((line) => flowText(JSON.parse(line) as SeenEvent)),
        );
      };
      const all = traffic.map(sentText).sort();
      await eventually(async () => {
        expect([...(await seen())].filter((one) => all.includes(one)).sort()).toEqual(all);
      });
      expect(await watching.end()).toBe(0);
      const { connections } = readRecord(flows);
      expect(connections.map(flowText).sort()).toEqual(all);
      expect(new Set(connections.map(({ verdict }) => verdict))).toEqual(new Set(["allow"]));
      const world = ["-f", threeTiers, "-f", path];
      const made = northgate("recommend", ...world, "--flows", flows, "-n", "shop");
      expect(made).toMatchObject({
        code: 0,
        stderr: `northgate: ${all.length} recorded connections, none changes\n`,
      });
      writeFileSync(recommended, made.stdout);
      const next = [...world, "-f", recommended];
      const old = ["--against", `dir:${threeTiers}`, "--against", `dir:${path}`];
      const planned = await ranIn(folder, ["plan", ...next, ...old, "--flows", flows, "-o", "json"]);
      expect(JSON.parse(planned.stdout)).toMatchObject({
        flows: { recorded: { flows: all.length }, changed: { flows: 0 }, unjudged: [] },
      });
      const can = await ranIn(folder, ["can", ...next, "--from", "shop/*", "--to", "shop/*", "-o", "json"]);
      const { groups } = JSON.parse(can.stdout) as CanReport;
      const names = ({ workloads }: CanReport["groups"][number]["from"]) =>
        workloads.map(({ name }) => name).join();
      const allowed = groups.filter(({ verdict }) => verdict === "allow");
      expect(
        allowed
          .map(({ from, to, traffic: what }) => `${names(from)} ${names(to)} ${JSON.stringify(what)}`)
          .sort(),
      ).toEqual([
        'api db [{"protocol":"tcp","ports":[[5432,5432]]}]',
        'db db [{"protocol":"tcp","ports":[[5432,5432]]}]',
        'web api [{"protocol":"tcp","ports":[[8080,8080]]}]',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
