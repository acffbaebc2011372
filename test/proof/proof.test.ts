// The proof that what rows do to packets is what policies mean: random worlds, each with its own packets, each packet judged
// by the meaning of the policies, by OVN's own reading of its tables and by a dataplane. The worlds are others in each run, and the
// same ones with `SEED=`. A failure prints the smallest world that shows it, and writes it to a file.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { namespace, node, pod } from "../support/facts.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { anp, banp } from "../support/policies.ts";
import { antreaDialects, withAntrea } from "./antrea-policies.ts";
import { calicoBeside, roomBeside, worldsBeside } from "./calico/beside.ts";
import { calicoCluster, calicoWorlds, roomForPasses } from "./calico/worlds.ts";
import type { ClusterOptions } from "./cluster.ts";
import { Laboratory } from "./laboratory.ts";
import { clusterOfNames, withNames } from "./names/policies.ts";
import { ownDialects, withOwnNetworkPolicies } from "./own-network-policies.ts";
import { panel, sits } from "./panel.ts";
import { everyPacket } from "./samples.ts";
import type { ProofWorld } from "./worlds.ts";
import { proofWorld, zone, zonedWorld } from "./worlds.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(600_000));

const packetsPerWorld = 100;

interface Run {
  readonly where: string;
  readonly options: ClusterOptions;
  readonly worldOf: fc.Arbitrary<ProofWorld>;
  readonly worlds: number;
}

const share = (part: number): number => Math.ceil(panel.worlds * part);
const runs: readonly Run[] = [
  { where: "in one database for all nodes", options: {}, worldOf: proofWorld, worlds: panel.worlds },
  // What differs is one term of one kind of match.
  {
    where: "with named ports as sets",
    options: { namedPorts: "sets" },
    worldOf: proofWorld,
    worlds: share(1 / 8),
  },
  {
    where: "with address sets shared by selectors, and all four kinds",
    options: { addressSets: "shared", installed: ownDialects },
    worldOf: withOwnNetworkPolicies(proofWorld),
    worlds: share(1 / 8),
  },
  { where: "in a database for one node", options: { zone }, worldOf: zonedWorld, worlds: share(1 / 4) },
  {
    where: "with all four kinds in one world",
    options: { installed: ownDialects },
    worldOf: withOwnNetworkPolicies(proofWorld),
    worlds: share(1 / 2),
  },
  {
    where: "with Antrea's kinds in one world with all others, and samples of every packet",
    options: { installed: antreaDialects, sampling: everyPacket },
    worldOf: withAntrea(withOwnNetworkPolicies(proofWorld)),
    worlds: share(3 / 8),
  },
  {
    where: "with domain names in rules of all kinds, as DNS answered",
    options: clusterOfNames,
    worldOf: withNames(withOwnNetworkPolicies(proofWorld)),
    worlds: share(1 / 4),
  },
  {
    where: "with domain names, and address sets shared by selectors",
    options: { ...clusterOfNames, addressSets: "shared" },
    worldOf: withNames(withOwnNetworkPolicies(proofWorld)),
    worlds: share(1 / 8),
  },
  {
    where: "with Calico's kinds in the policy model of theirs, held against their manifests",
    options: calicoCluster,
    worldOf: calicoWorlds({ passing: roomForPasses }),
    worlds: share(1 / 2),
  },
  {
    where: "with Calico's kinds in a database for one node",
    options: { ...calicoCluster, zone },
    worldOf: calicoWorlds({ passing: roomForPasses, zoned: true }),
    worlds: share(1 / 8),
  },
  {
    where: "with Calico's kinds beside another program's NetworkPolicies, never wider than one stack",
    options: calicoBeside,
    worldOf: worldsBeside({ passing: roomBeside }),
    worlds: share(1 / 8),
  },
  {
    where: "with all four kinds in a database for one node",
    options: { installed: ownDialects, zone },
    worldOf: withOwnNetworkPolicies(zonedWorld),
    worlds: share(1 / 8),
  },
];

/** As users run it who say nothing. */
const isPlain = (options: ClusterOptions): boolean => Object.keys(options).length === 0;

/** Of all runs together: a few worlds alone may hold few packets that meet a rule. */
const all = { worlds: 0, packets: 0, ruled: 0, dropped: 0 };

for (const [at, { where, options, worldOf, worlds }] of runs.entries()) {
  const seed = panel.seed + at;
  await describeWithDataplane(`rows do to packets what policies mean, ${where}`, () => {
    let laboratory: Laboratory;

    beforeAll(async () => {
      laboratory = await Laboratory.open(options);
    });
    afterAll(async () => {
      await laboratory.close();
    });

    test(`in ${worlds} random worlds`, async () => {
      const details = await fc.check(
        fc.asyncProperty(worldOf, (world) => laboratory.prove(world)),
        { numRuns: worlds, seed, includeErrorInReport: true },
      );
      if (details.failed) throw new Error(writtenDown(fc.defaultReportMessage(details) ?? "failed", seed));
      const { packets, ruled, chained, dropped, sampled, stricter } = laboratory.tally;
      process.stderr.write(
        `judged ${where}: SEED=${panel.seed}, ${worlds} worlds, ${packets} packets (${dropped} dropped, ${ruled} met a rule, ` +
          `${chained} three or more${stricter > 0 ? `, ${stricter} stricter` : ""}), OVN ${laboratory.ovn.install.version}\n`,
      );
      expect(packets).toBeGreaterThanOrEqual(worlds * packetsPerWorld);
      expect(chained).toBeGreaterThanOrEqual(Math.floor(worlds / 100));
      expect(sampled).toBe(options.sampling !== undefined && sits("dataplane") ? ruled : 0);
      // Else most of what is compared would be the others' isolation.
      expect(stricter / packets).toBeLessThan(0.5);
      all.worlds += worlds;
      all.packets += packets;
      all.ruled += ruled;
      all.dropped += dropped;
    });

    if (at === runs.length - 1) {
      // A proof over packets that meet no rule, or that all pass, would prove nothing.
      test("and of all packets many met a rule, and some were dropped", () => {
        expect(all.worlds).toBe(runs.reduce((sum, run) => sum + run.worlds, 0));
        expect(all.ruled / all.packets).toBeGreaterThan(0.4);
        expect(all.dropped / all.packets).toBeGreaterThan(0.2);
      });
    }

    if (isPlain(options) && worldOf === proofWorld) {
      test("in a world of one hundred rules a direction, at the edges of the bands of priorities", async () => {
        await laboratory.prove({ objects: hundredRules(), salt: 1 });
      });
    }

    test("and OVN has no complaint", () => {
      expect(laboratory.complaints()).toEqual([]);
    });
  });
}

/** The report, with the file that holds it too. */
function writtenDown(report: string, seed: number): string {
  const folder = resolve(".cache/proof");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `failed-${seed}.txt`);
  writeFileSync(file, `${report}\n`);
  return `${report}\nSEED=${panel.seed} makes these worlds again; written to ${file}`;
}

/** Every rule covers what the ones behind it speak of, so that each misplaced one changes who decides. */
function hundredRules() {
  const ofRule = (at: number, actions: readonly string[], side: "from" | "to", peer: unknown) => ({
    action: actions[at % actions.length],
    [side]: [peer],
    ports: [
      { portRange: { protocol: "TCP", start: 1, end: 8082 - (99 - at) } },
      { portNumber: { protocol: "UDP", port: 80 } },
    ],
  });
  const list = (actions: readonly string[], side: "from" | "to") =>
    Array.from({ length: 100 }, (_, at) => ofRule(at, actions, side, { namespaces: {} }));
  const both = (actions: readonly string[]) => ({
    ingress: list(actions, "from"),
    egress: list(actions, "to"),
  });
  const firstOnly = { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "x" } } } };
  return [
    namespace("a"),
    ...["node-1", "node-2"].map((name, at) => node(name, {}, [`172.18.0.${at + 1}`], ["v4", "v6"])),
    ...["x", "x", "y", "z"].map((app, at) =>
      pod("a", `p${at}`, {
        labels: { app },
        node: at % 2 === 0 ? "node-1" : "node-2",
        ips: [`10.0.0.${16 + at}`, `fd00::1${at}`],
      }),
    ),
    anp("first", { priority: 0, subject: firstOnly, ...both(["Pass", "Deny", "Allow"]) }),
    // Its first rule covers what the last rule of the policy before decides: bands that overlap change who does.
    anp("second", {
      priority: 1,
      subject: firstOnly,
      ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
      egress: [{ action: "Deny", to: [{ namespaces: {} }] }],
    }),
    anp("before-last", { priority: 98, ...both(["Pass", "Allow", "Deny"]) }),
    anp("last", { priority: 99, ...both(["Deny", "Pass", "Allow"]) }),
    banp(both(["Deny", "Allow"])),
  ];
}
