// Taking over from OVN-Kubernetes' own controller of AdminNetworkPolicy, and giving back: `northgate run` as a process on a real
// ovsdb-server with northd, on rows as that controller leaves them. What it writes is counted and named, in one transaction;
// OVN's verdict on every packet is the same before, after, when Northgate has ended, and when the other has its rows again.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { policies as policyKinds, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import { isNode, isPod } from "../../src/model/object.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import { openTracer, type Packet, type Tracer } from "../../tools/sandbox/trace.ts";
import { actualTables } from "../support/actual-tables.ts";
import { openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { ip } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import {
  documentedPolicies,
  hashOf,
  idsOf,
  type OvnkPolicy,
  writeOvnkRows,
} from "../support/ovnk-anp-rows.ts";
import { patience } from "../support/patience.ts";
import { startNorthgate } from "../support/program.ts";
import { Scrape } from "../../e2e/prometheus.ts";

const zone = "ovn-worker2";
const cluster = "examples/cluster-control/cluster";

/** Sets of the documentation that were taken with other selectors than its manifests show: what the manifests select. */
const selected = {
  [hashOf("default-network-controller:AdminNetworkPolicy:cluster-control:Egress:0:v4")]: [
    "10.244.2.3",
    "10.244.2.4",
  ],
  [hashOf("default-network-controller:AdminNetworkPolicy:cluster-control:Egress:2:v4")]: ["10.244.2.6"],
  [hashOf("default-network-controller:AdminNetworkPolicy:cluster-control:Egress:3:v4")]: [
    ...["10.0.32.0/19", "10.0.56.38/32", "10.0.69.0/24", "172.18.0.2", "172.18.0.4", "172.30.0.0/30"],
  ],
};

/** A policy with the forms that the documentation's have not, and nothing that differs. */
const plain = `
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: plain
  annotations: { k8s.ovn.org/acl-logging: '{"deny": "alert", "allow": "notice"}' }
spec:
  priority: 7
  subject: { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: ingress-nginx } } } }
  ingress:
    - action: Deny
      from: [{ namespaces: { matchLabels: { kubernetes.io/metadata.name: splunk } } }]
      ports:
        - portNumber: { protocol: TCP, port: 443 }
        - portRange: { protocol: TCP, start: 8000, end: 8080 }
        - portNumber: { protocol: TCP, port: 80 }
        - portNumber: { protocol: UDP, port: 53 }
        - portRange: { protocol: SCTP, start: 3868, end: 3868 }
  egress:
    - action: Allow
      to: [{ namespaces: { matchLabels: { kubernetes.io/metadata.name: monitoring } } }]
      ports: [{ namedPort: scrape }]
    - action: Pass
      to: [{ networks: [203.0.113.7/24] }]
`;
const group = hashOf("default-network-controller:AdminNetworkPolicy:plain");
const setOf = (rule: string) => hashOf(`default-network-controller:AdminNetworkPolicy:plain:${rule}:v4`);
const addressSet = (direction: string, index: string, addresses: readonly string[]) => ({
  name: setOf(`${direction}:${index}`),
  addresses,
  external_ids: idsOf("AdminNetworkPolicy", "plain", { direction, "gress-index": index, "ip-family": "v4" }),
});
const acl = (
  direction: string,
  index: string,
  protocol: string,
  columns: Readonly<Record<string, unknown>>,
) => ({
  name: `ANP:plain:${direction}:${index}`,
  direction: direction === "Ingress" ? "to-lport" : "from-lport",
  priority: 29300 - Number(index),
  tier: 1,
  meter: "acl-logging",
  ...(direction === "Egress" ? { options: { "apply-after-lb": "true" } } : {}),
  external_ids: idsOf("AdminNetworkPolicy", "plain", {
    direction,
    "gress-index": index,
    "port-policy-protocol": protocol,
  }),
  ...columns,
});
const denied = { action: "drop", log: true, severity: "alert" };
const from = `outport == @${group} && ((ip4.src == $${setOf("Ingress:0")}))`;
const plainRows: OvnkPolicy = {
  group: { name: group, external_ids: idsOf("AdminNetworkPolicy", "plain") },
  ports: ["ingress-nginx_ingress-nginx-controller-cvb8h"],
  sets: [
    addressSet("Ingress", "0", ["10.244.2.6"]),
    addressSet("Egress", "0", ["10.244.1.4", "10.244.2.8"]),
    addressSet("Egress", "1", ["203.0.113.0/24"]),
  ],
  acls: [
    acl("Ingress", "0", "tcp", {
      ...denied,
      match: `${from} && tcp && (tcp.dst=={443,80} || 8000<=tcp.dst<=8080)`,
    }),
    acl("Ingress", "0", "udp", { ...denied, match: `${from} && udp && udp.dst==53` }),
    acl("Ingress", "0", "sctp", { ...denied, match: `${from} && sctp && sctp.dst==3868` }),
    acl("Egress", "0", "tcp-namedPort", {
      action: "allow-related",
      log: true,
      severity: "notice",
      match: `inport == @${group} && tcp && ((ip4.dst == 10.244.1.4 && tcp.dst == 8080) || (ip4.dst == 10.244.2.8 && tcp.dst == 8080))`,
    }),
    acl("Egress", "1", "None", {
      action: "pass",
      match: `inport == @${group} && ((ip4.dst == $${setOf("Egress:1")}))`,
    }),
  ],
};

const { objects } = loadManifests([cluster], policyKinds, references);
const nodes = objects.filter(isNode);
const pods = objects.filter(isPod).filter(isOnPodNetwork);
const locals = pods.filter((pod) => pod.node === zone);
const documented = documentedPolicies(locals.map(portOf).sort(), selected);
const ends = [
  ...pods,
  ...["172.18.0.3", "172.30.0.3", "10.0.56.38", "203.0.113.9"].map((text) => ({ ip: ip(text) })),
];
const asked = [
  ["tcp", 80],
  ["tcp", 7564],
  ["tcp", 8080],
  ["tcp", 6443],
  ["tcp", 8991],
  ["udp", 5353],
  ["sctp", 3868],
  ["icmp", 0],
] as const;
/** Each way between two pods or a pod and the world that begins or ends on the zone's node, with two of these in turn. */
const packets: readonly Packet[] = ends
  .flatMap((from) => ends.map((to) => ({ from, to })))
  .filter(({ from, to }) => from !== to && [from, to].some((end) => "node" in end && end.node === zone))
  .flatMap((way, at) =>
    asked
      .slice((at * 2) % asked.length, ((at * 2) % asked.length) + 2)
      .map(([protocol, port]) => ({ ...way, protocol, port })),
  );

const cases = [
  {
    says: "forms that both write alike: nothing is written",
    policies: [plain],
    rows: [plainRows],
    rewritten: [],
  },
  {
    says: "the documentation's rows: one match is, where it named a port of a peer, one port twice",
    policies: ["cluster-control", "default-baseline"],
    rows: documented,
    rewritten: [
      "default-network-controller:AdminNetworkPolicy:cluster-control:Ingress:1:tcp-namedPort match",
    ],
  },
];

await describeWithOvn("taking over from OVN-Kubernetes, and giving back", (install) => {
  const dir = mkdtempSync(join(tmpdir(), "ng-takeover-"));
  const opened: { close(): Promise<void> }[] = [];
  let ovn: Ovn;

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  describe.each(cases)("$says", ({ policies, rows, rewritten }) => {
    beforeAll(async () => {
      ovn = await startOvn({ install });
      await applyCni(ovn, { pods, nodes });
      await writeOvnkRows(ovn, rows);
    }, patience(60_000));
    afterAll(() => ovn.stop());

    /** `id column` → value, and the row's uuid, of every row of the three tables. */
    const columns = async (): Promise<Readonly<Record<string, string>>> => {
      const found: Record<string, string> = {};
      for (const table of ["Port_Group", "Address_Set", "ACL"]) {
        const text = await ovn.nbctl("--format=json", "list", table);
        const { headings, data } = JSON.parse(text) as {
          readonly headings: string[];
          readonly data: unknown[][];
        };
        for (const row of data) {
          const cell = (heading: string) => JSON.stringify(row[headings.indexOf(heading)]);
          const id = /"k8s.ovn.org\/id","([^"]+)"/.exec(cell("external_ids"))?.[1] ?? cell("name");
          for (const heading of headings) found[`${id} ${heading}`] = cell(heading);
        }
      }
      return found;
    };
    const changed = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) =>
      [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        (key) => before[key] !== after[key],
      );
    const verdicts = async (): Promise<readonly string[]> => {
      await ovn.sync();
      const tracer: Tracer = await openTracer(ovn);
      try {
        const said: string[] = [];
        for (const packet of packets) said.push((await tracer.verdict(packet)).verdict);
        expect(await tracer.complaints()).toEqual([]);
        return said;
      } finally {
        await tracer.close();
      }
    };

    test(
      "no verdict changes on the way there and back",
      async () => {
        const [theirs, judged] = [await columns(), await verdicts()];
        expect(packets.length).toBeGreaterThan(150);
        expect(new Set(judged)).toEqual(new Set(["allow", "drop"]));

        // Every state that the database has, seen by a client of its own.
        const states = new Set<string>();
        const watcher = openNorthbound(ovn.nb, {}, {});
        opened.push(watcher);
        const see = () => states.add(JSON.stringify(actualTables(watcher.cache)));
        await watcher.opened();
        watcher.subscribe({ changed: see });
        see();

        const files = policies.map((policy, at) => {
          if (!policy.includes("\n")) return `examples/cluster-control/policies/${policy}.yaml`;
          const file = join(dir, `${at}.yaml`);
          writeFileSync(file, policy);
          return file;
        });
        const source = sourceOf(dir, [cluster, ...files]);
        const run = startNorthgate([
          `--source=dir:${source}`,
          `--nb=${ovn.nb}`,
          `--zone=${zone}`,
          "--metrics-bind-address=127.0.0.1:0",
        ]);
        try {
          await eventually(() => {
            const lines = run.log().map(({ message }) => message);
            expect(lines).toContain("initial synchronization is complete");
          }, 30_000);
          expect(run.log().filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
          const address = run.log().find(({ message }) => message === "metrics are served")?.["address"];
          const metrics = new Scrape(await (await fetch(`${String(address)}/metrics`)).text());
          expect(metrics.value("northgate_nb_operations_total")).toBe(rewritten.length);
        } finally {
          expect(await run.end()).toBe(0);
        }
        const ours = await columns();
        expect(changed(theirs, ours)).toEqual(rewritten);
        await eventually(() => {
          expect(states.size).toBe(rewritten.length === 0 ? 1 : 2);
        });
        // Northgate has ended here: its rows stand, and nothing says that it was there.
        expect(await verdicts()).toEqual(judged);
        expect(await ovn.nbctl("--bare", "get", "NB_Global", ".", "external_ids")).not.toContain("northgate");

        // The other controller finds each row by its id and writes its own columns over it.
        const back = rows
          .flatMap(({ acls }) => acls)
          .filter(({ external_ids: ids }) => {
            const id = (ids as Readonly<Record<string, string>>)["k8s.ovn.org/id"];
            return rewritten.includes(`${id} match`);
          });
        for (const { match, external_ids: ids } of back) {
          const id = (ids as Readonly<Record<string, string>>)["k8s.ovn.org/id"];
          const uuid = JSON.parse(ours[`${id} _uuid`] ?? "[]") as readonly string[];
          await ovn.nbctl("set", "ACL", uuid[1] ?? "", `match=${JSON.stringify(match)}`);
        }
        expect(changed(theirs, await columns())).toEqual([]);
        expect(await verdicts()).toEqual(judged);
      },
      patience(120_000),
    );
  });
});

/** A folder with these files and folders in it. */
function sourceOf(dir: string, paths: readonly string[]): string {
  const folder = mkdtempSync(join(dir, "source-"));
  for (const [at, path] of paths.entries())
    cpSync(path, join(folder, `${at}${path.endsWith(".yaml") ? ".yaml" : ""}`), { recursive: true });
  return folder;
}
