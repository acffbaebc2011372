// That each rule counts the packets that it has decided, and no other: real packets through the real switch, against what was sent.

import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { DatabaseFlows } from "../../src/nbdb/observe/rule-flows.ts";
import { readSwitch } from "../../src/observe/counting.ts";
import { Hits } from "../../src/hits/hits.ts";
import { readMetricsText } from "../../src/hits/metrics-text.ts";
import { OpenFlowConnection, RefusedError } from "../../src/observe/openflow/connection.ts";
import { types } from "../../src/observe/openflow/messages.ts";
import { placeText, policyText } from "../../src/observe/rule.ts";
import { Tally } from "../../src/observe/tally.ts";
import { run } from "../../tools/sandbox/program.ts";
import { blue, facts, green, pods, red } from "../proof/teams.ts";
import { acnp } from "../support/antrea.ts";
import { eventually } from "../support/eventually.ts";
import { ranIn } from "../support/in-process.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { anp, banp, cnp } from "../support/policies.ts";
import { patience } from "../support/patience.ts";
import { mainFile } from "../support/main-file.ts";
import { running } from "../support/program.ts";
import { Stage, webOfRed } from "./stage.ts";

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const { redA, redB, blueA, blueB, greenA, greenB } = pods;

/** A rule of every kind, each met by packets of its own. */
const policies = (port = 81) => [
  anp("deny-db", {
    ...{ priority: 5, subject: blue },
    ingress: [
      { action: "Deny", from: [green], ports: [tcp(port)] },
      { action: "Allow", from: [red], ports: [tcp(80)] },
      { action: "Pass", from: [red], ports: [tcp(82), tcp(83), tcp(84)] },
    ],
  }),
  cnp("out", {
    ...{ priority: 7, subject: red },
    egress: [{ action: "Deny", to: [green], protocols: [{ tcp: { destinationPort: { number: 90 } } }] }],
  }),
  acnp("team", {
    ...{
      tier: "application",
      priority: 1,
      appliedTo: [{ namespaceSelector: { matchLabels: { team: "green" } } }],
    },
    ingress: [
      {
        action: "Drop",
        from: [{ namespaceSelector: { matchLabels: { team: "red" } } }],
        ports: [91, 92].map((one) => ({ protocol: "TCP", port: one })),
      },
    ],
  }),
  webOfRed,
  banp({ subject: green, ingress: [{ action: "Deny", from: [blue], ports: [tcp(95)] }] }),
];

await describeWithDataplane("counts of rules", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
    await stage.become(policies());
  });
  afterAll(() => stage.close());

  const args = () => [
    ...["observe-node", "--once", "--nb", stage.ovn.nb, "--sb", stage.ovn.sb],
    ...["--openflow", `unix:${stage.openflow}`],
  ];

  /** By rule and state of connections, without those that nothing has met. */
  async function counted(): Promise<Readonly<Record<string, number>>> {
    const { code, stdout } = await ranIn(tmpdir(), [...args(), "-o", "json"]);
    expect(code).toBe(0);
    const { rules } = JSON.parse(stdout) as { readonly rules: readonly JsonRule[] };
    const met = rules.filter(({ packets }) => packets > 0);
    return Object.fromEntries(
      met.map(({ policy, rule, connections, packets }) => [
        `${policy.kind} ${policy.name} ${rule.direction} ${rule.index} ${rule.word} ${connections}`,
        packets,
      ]),
    );
  }

  async function openFlows(): Promise<DatabaseFlows> {
    const flows = new DatabaseFlows({
      ...{ nb: stage.ovn.nb, sb: stage.ovn.sb, tls: null, clock: systemClock, logger: silentLogger },
    });
    await flows.opened();
    return flows;
  }

  test("of every kind and action are the packets that were sent, 1,000 in all", async () => {
    const base = { from: redA, to: blueB };
    expect(await stage.send({ ...base, from: greenA, port: 81, count: 250 })).toBe(0);
    expect(await stage.send({ ...base, port: 80, count: 200 })).toBe(200);
    expect(await stage.send({ ...base, port: 82, count: 150 })).toBe(150);
    expect(await stage.send({ ...base, port: 83, count: 100, family: "v6" })).toBe(0);
    expect(await stage.send({ ...base, to: greenB, port: 90, count: 100 })).toBe(0);
    expect(await stage.send({ ...base, to: greenB, port: 92, count: 80 })).toBe(0);
    expect(await stage.send({ ...base, from: blueA, to: greenB, port: 95, count: 120 })).toBe(0);
    expect(await counted()).toEqual({
      "AdminNetworkPolicy deny-db ingress 0 Deny new": 250,
      "AdminNetworkPolicy deny-db ingress 1 Allow new": 200,
      "AdminNetworkPolicy deny-db ingress 2 Pass any": 250,
      "NetworkPolicy web ingress 0 Allow new": 150,
      "NetworkPolicy  ingress isolation Deny new": 100,
      "ClusterNetworkPolicy out egress 0 Deny new": 100,
      "ClusterNetworkPolicy team ingress 0 Drop new": 80,
      "BaselineAdminNetworkPolicy default ingress 0 Deny new": 120,
    });
  });

  test("are those of entries that conjunctions lead to", async () => {
    const flows = await openFlows();
    try {
      const ofTeam = flows.flows().filter(({ rule }) => rule.policy.name === "team");
      const { stdout } = await run(stage.ovn.install.programs["ovs-ofctl"] ?? "", [
        ...["dump-flows", `unix:${stage.openflow}`],
      ]);
      const packetsAt = stdout.split("\n").flatMap((line) => {
        const [, cookie = "", packets] =
          /cookie=0x([0-9a-f]+),.* n_packets=(\d+),.*\bconj_id=/.exec(line) ?? [];
        return ofTeam.some((flow) => flow.cookie === Number.parseInt(cookie, 16)) ? [Number(packets)] : [];
      });
      // Its pods, its peers and its ports are three dimensions; the packets of the first test.
      expect(packetsAt.reduce((sum, packets) => sum + packets, 0)).toBe(80);
    } finally {
      await flows.close();
    }
  });

  test("tell the first packet of a connection from later ones, and answers are not counted", async () => {
    const rule = "AdminNetworkPolicy deny-db ingress 1 Allow";
    const before = await counted();
    expect(await stage.talk(redB, blueA).shaken()).toEqual([true, true, true, true, true]);
    await stage.settled();
    const after = await counted();
    expect(after[`${rule} new`]).toBe((before[`${rule} new`] ?? 0) + 1);
    expect(after[`${rule} established`]).toBe((before[`${rule} established`] ?? 0) + 2);
  });

  test(
    "only grow while an address leaves its set, a match changes, and ovn-controller and the switch begin anew",
    async () => {
      const flows = await openFlows();
      try {
        const tally = new Tally("first reading");
        const packets = async () => {
          const now = flows.flows();
          tally.add(now, await readSwitch(stage.openflow, now, systemClock));
          const found = tally.counts.find(
            ({ rule, state }) => `${policyText(rule)} ${placeText(rule)} ${state}` === denied,
          );
          return found?.packets;
        };
        const denied = "AdminNetworkPolicy deny-db ingress[0] new";
        const toBlue = { to: blueB, port: 81 };
        expect(await packets()).toBe(0);
        await stage.send({ ...toBlue, from: greenA, count: 12 });
        await stage.send({ ...toBlue, from: greenB, count: 5 });
        expect(await packets()).toBe(17);
        // The entry of greenA's address goes, with its 12 packets and those of before.
        await stage.become(
          policies(),
          facts.filter((one) => one !== greenA),
        );
        expect(await packets()).toBe(17);
        await stage.send({ ...toBlue, from: greenB, count: 6 });
        expect(await packets()).toBe(23);
        await stage.become(policies(85));
        expect(await packets()).toBe(23);
        await stage.send({ ...toBlue, port: 85, from: greenA, count: 7 });
        expect(await packets()).toBe(30);
        await stage.restartController();
        // More than any entry had before: only their age tells that they are others.
        await stage.send({ ...toBlue, port: 85, from: greenA, count: 9 });
        expect(await packets()).toBe(39);
        await stage.restartSwitch();
        // Its flows come while ovn-controller connects anew.
        await eventually(async () => {
          expect(await stage.send({ from: redA, to: blueB, port: 80, count: 10 })).toBe(10);
        });
        await stage.send({ ...toBlue, port: 85, from: greenA, count: 12 });
        expect(await packets()).toBe(51);
      } finally {
        await flows.close();
      }
    },
    patience(120_000),
  );

  test("in a table for people", async () => {
    const { code, stdout } = await ranIn(tmpdir(), args());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^POLICY +RULE +ACTION +PACKETS +NEW +BYTES +SINCE\n/);
    expect(stdout).toMatch(/^NetworkPolicy blue\/web +ingress\[0\] +Allow +0 +0 +0 +\d+s$/m);
    expect(stdout).toMatch(/^NetworkPolicy blue +ingress isolation +Deny +0 +0 +0 +\d+s$/m);
    expect(stdout).toMatch(/^AdminNetworkPolicy deny-db +ingress\[2\] +Pass +0 +- +0 +\d+s$/m);
    expect(stdout).toMatch(/^AdminNetworkPolicy deny-db +ingress\[0\] +Deny +12 +12 +648 +\d+s$/m);
  });

  test("as metrics, from the first reading on, until a signal", async () => {
    const { nb, sb } = stage.ovn;
    const child = spawn(
      process.execPath,
      [
        ...[mainFile, "observe-node", "--nb", nb, "--sb", sb, "--openflow", `unix:${stage.openflow}`],
        ...["--interval=1", "--metrics-bind-address=127.0.0.1:0", "--log-format=json"],
      ],
      { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, NODE_OPTIONS: "" } },
    );
    const program = running(child);
    try {
      const get = async (path: string) => {
        const said = program.log().find(({ message }) => message === "metrics are served");
        return fetch(`${String(said?.["address"])}${path}`);
      };
      await eventually(async () => {
        expect(await (await get("/readyz")).text()).toBe("ok\n");
      });
      const series = async () =>
        (await (await get("/metrics")).text())
          .split("\n")
          .filter((line) => line.startsWith("northgate_rule"));
      const denied = (name: string, value: number) =>
        `northgate_rule_${name}_total{group="policy.networking.k8s.io",kind="AdminNetworkPolicy",namespace="",policy="deny-db",` +
        `direction="ingress",rule="0",action="deny",state="new"} ${value}`;
      expect(await series()).toContain(denied("packets", 0));
      await stage.send({ from: greenA, to: blueB, port: 85, count: 11 });
      await eventually(async () => {
        expect(await series()).toContain(denied("packets", 11));
      });
      const shown = await series();
      expect(shown).toContain(denied("bytes", 11 * 54));
      expect(shown).toContain("northgate_rule_series_left_out 0");
      const hits = new Hits([readMetricsText(await (await get("/metrics")).text())]);
      const group = "policy.networking.k8s.io";
      const policy = { group, kind: "AdminNetworkPolicy", namespace: null, name: "deny-db" };
      const rule = { policy, direction: "ingress", index: 0, action: "deny" } as const;
      expect(hits.of(rule)).toMatchObject({ packets: 11, bytes: 11 * 54, nodes: 1 });
      expect(hits.of({ ...rule, index: 9 })).toMatchObject({ packets: null });
      expect(shown.join("\n")).not.toMatch(/\d+\.\d+\.\d+\.\d+|fd00:/);
      expect(await program.end()).toBe(0);
    } finally {
      await program.end("SIGKILL");
    }
  });

  test("a switch that cannot be reached is one line, and exit code 1", async () => {
    const gone = [...args().slice(0, -1), "unix:/nowhere/br-int.mgmt"];
    expect(await ranIn(tmpdir(), gone)).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: "northgate: connect ENOENT /nowhere/br-int.mgmt\n",
    });
  });

  test("the switch refuses to be changed over the same connection", async () => {
    const connection = await OpenFlowConnection.open(stage.openflow, systemClock);
    try {
      // OFPFC_DELETE of everything in every table: 48 bytes, the last of them an empty match.
      const deleteAll = Buffer.alloc(48);
      deleteAll.writeUInt8(0xff, 16);
      deleteAll.writeUInt8(3, 17);
      for (const at of [24, 28, 32]) deleteAll.writeUInt32BE(0xffffffff, at);
      deleteAll.writeUInt16BE(1, 40);
      deleteAll.writeUInt16BE(4, 42);
      const refused = connection.request(types.flowMod, deleteAll);
      await expect(refused).rejects.toThrow(RefusedError);
      await expect(refused).rejects.toMatchObject({ type: 1, code: 10 });
    } finally {
      connection.close();
    }
    expect(await stage.send({ from: redA, to: blueB, port: 80, count: 2 })).toBe(2);
  });
});

interface JsonRule {
  readonly policy: { readonly kind: string; readonly name: string };
  readonly rule: { readonly direction: string; readonly index: number | string; readonly word: string };
  readonly connections: string;
  readonly packets: number;
}
