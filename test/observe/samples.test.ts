// That what is seen of a node is what was sent: real samples of a real switch, from the rows that are planted in NB to the lines of
// `northgate observe`. The rows of Open vSwitch come with the first watcher and go with the reader, also after one that was killed.

import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { SeenEvent } from "../../src/observe/decode/event.ts";
import { placeText, policyText } from "../../src/observe/rule.ts";
import { run } from "../../tools/sandbox/program.ts";
import { blue, facts, green, pods, red } from "../proof/teams.ts";
import { eventually } from "../support/eventually.ts";
import { ranIn } from "../support/in-process.ts";
import { mainFile } from "../support/main-file.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { anp } from "../support/policies.ts";
import type { Running } from "../support/program.ts";
import { running } from "../support/program.ts";
import { Stage, webOfRed } from "./stage.ts";

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const { redA, redB, blueA, blueB, greenA } = pods;
/** northd of OVN 25.03 takes the lowest 8 bits of Sample_Collector.set_id alone. */
const setId = 73;

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
  const socket = () => join(stage.ovn.dir, "observe.sock");

  beforeAll(async () => {
    stage = await Stage.open();
    await stage.become(policies);
    await plant();
    reader = startReader();
  });
  afterAll(async () => {
    await reader.end("SIGKILL");
    await stage.close();
  });

  /** Rows as `run --observe samples` writes them: a Sample an ACL, from 1000 on in no order. */
  async function plant(): Promise<void> {
    const listed = await stage.ovn.nbctl("--bare", "--columns=_uuid", "list", "acl");
    const acls = listed.split("\n").filter((line) => line !== "");
    const owner = 'external_ids:"k8s.ovn.org/owner-type"=NorthgateSampling';
    await stage.ovn.nbctl(
      ...["create", "Sampling_App", "type=acl-new", "id=2", "--"],
      ...["create", "Sampling_App", "type=acl-est", "id=3", "--"],
      ...["--id=@c", "create", "Sample_Collector", "id=1", "name=northgate", `set_id=${setId}`],
      ...["probability=65535", owner],
      ...acls.flatMap((acl, at) => [
        ...["--", `--id=@s${at}`, "create", "Sample", "collectors=@c", `metadata=${1000 + at}`],
        ...["--", "set", "acl", acl, `sample_new=@s${at}`, `sample_est=@s${at}`],
      ]),
    );
  }

  function startReader(): Running {
    const { nb, sb } = stage.ovn;
    const child = spawn(
      process.execPath,
      [
        ...[mainFile, "observe-node", "--nb", nb, "--sb", sb, "--openflow", `unix:${stage.openflow}`],
        ...["--ovs", stage.ovs, "--socket", socket(), "--metrics-bind-address=off", "--log-format=json"],
      ],
      { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, NODE_OPTIONS: "" } },
    );
    return running(child);
  }

  async function vsctl(...args: readonly string[]): Promise<readonly string[]> {
    const program = stage.ovn.install.programs["ovs-vsctl"] ?? "";
    const { stdout } = await run(program, ["--no-wait", `--db=${stage.ovs}`, ...args], { env: process.env });
    return stdout.split("\n").filter((line) => line !== "");
  }

  /** The rows of Open vSwitch that say that they are Northgate's. */
  function rows(): Promise<readonly string[]> {
    const found = ["find", "Flow_Sample_Collector_Set", "external_ids:owner=northgate"];
    return vsctl("--bare", "--columns=id", ...found);
  }

  function follow(...filter: readonly string[]) {
    const args = ["observe", "--follow", "--socket", socket(), "-o", "ndjson", ...filter];
    const child = spawn(process.execPath, [mainFile, ...args], {
      ...{ stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_OPTIONS: "" } },
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    return {
      events: () =>
        text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as SeenEvent),
      end: async () => {
        child.kill("SIGTERM");
        return ended;
      },
    };
  }

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

  /** ovn-controller has seen the rows of Open vSwitch, and its flows sample. */
  async function sampling(): Promise<void> {
    await eventually(async () => {
      expect(await rows()).toEqual([String(setId)]);
    });
    await stage.settled();
  }

  test("name the pods and the rule of each connection, by every action", async () => {
    await eventually(async () => {
      expect((await ranIn(tmpdir(), ["observe", "--socket", socket()])).code).toBe(0);
    });
    // Nobody follows: nothing is sampled.
    expect(await rows()).toEqual([]);
    const all = follow("--established");
    const denied = follow(
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
      await sampling();
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
    const all = follow("--verdict", "dropped");
    try {
      await sampling();
      await stage.send({ from: greenA, to: blueB, port: 81, count: 3 });
      await eventually(() => {
        expect(all.events()).toHaveLength(3);
      });
      // Its ACL goes, with the Sample, before the samples of these have come.
      await stage.send({ from: greenA, to: blueA, port: 81, count: 4 });
      await stage.become(policies.slice(1), facts);
      await eventually(() => {
        const deny = "AdminNetworkPolicy deny-db ingress[0]";
        expect(tallied(all.events())).toEqual({
          [`dropped new green/a blue/b tcp 81 ${deny}`]: 3,
          [`dropped new green/a blue/a tcp 81 ${deny}`]: 4,
        });
      });
    } finally {
      await all.end();
    }
  });

  test("end with the reader: its rows are removed, and those of one that was killed by the next", async () => {
    expect(await rows()).toEqual([String(setId)]);
    await reader.end("SIGKILL");
    expect(await rows()).toEqual([String(setId)]);
    const asked = await ranIn(tmpdir(), ["observe", "--socket", socket()]);
    expect(asked).toMatchObject({ code: 1, stdout: "" });
    expect(asked.stderr).toMatch(
      /^northgate: no reader of this node answers: .*; is northgate observe-node running\?\n$/,
    );
    reader = startReader();
    await eventually(async () => {
      expect(await rows()).toEqual([]);
    });
    const all = follow();
    await sampling();
    await all.end();
    expect(await reader.end()).toBe(0);
    expect(await rows()).toEqual([]);
  });

  test("a set of another program is left alone, and those that watch are told", async () => {
    const foreign = ["create", "Flow_Sample_Collector_Set", `id=${setId}`, "bridge=@b"];
    const [uuid = ""] = await vsctl("--id=@b", "get", "bridge", "br-int", "--", ...foreign);
    reader = startReader();
    await eventually(async () => {
      expect((await ranIn(tmpdir(), ["observe", "--socket", socket()])).code).toBe(0);
    });
    const all = follow();
    try {
      await eventually(async () => {
        const { stderr } = await ranIn(tmpdir(), ["observe", "--socket", socket()]);
        expect(stderr).toContain("northgate: the rows of Open vSwitch cannot be written: ");
      });
      expect(await vsctl("--bare", "--columns=_uuid", "find", ...foreign.slice(1, 3))).toEqual([uuid]);
    } finally {
      await all.end();
    }
    await vsctl("destroy", "Flow_Sample_Collector_Set", uuid);
    const again = follow();
    await sampling();
    await again.end();
    expect(await reader.end()).toBe(0);
    expect(await rows()).toEqual([]);
  });
});
