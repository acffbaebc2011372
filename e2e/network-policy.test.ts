// NetworkPolicies on a real API server, by the service account of the manifests, between an AdminNetworkPolicy above and a
// BaselineAdminNetworkPolicy below: the rows at each step are those of a fresh start, OVN's verdicts are what the policies
// mean, and whoever switches the kind off keeps the rows until `northgate cleanup` takes exactly them.

import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { everyDialect } from "../src/dialects.ts";
import { isNode, isPod } from "../src/model/object.ts";
import { keys } from "../src/nbdb/rows/names.ts";
import { noBackend, OfflineModel } from "../src/offline/model.ts";
import { applyCni } from "../tools/sandbox/cni.ts";
import { openTracer, parseErrors } from "../tools/sandbox/trace.ts";
import type { KubernetesObject } from "../test/kube/api.ts";
import { adminPolicy, baselinePolicy, namespace, node, pod } from "../test/kube/objects.ts";
import { eventually } from "../test/support/eventually.ts";
import { northgate } from "../test/support/program.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { say } from "./harness.ts";
import { questions } from "./upstream-world.ts";

const options = { northd: true, ports: false, kinds: "anp,banp,cnp,netpol", networkPolicy: true };
const samples = "examples/network-policy/policies";
const kindsOfOurs = ["NetworkPolicy", "NetpolNamespace", "PodSelector", "NorthgateNode"];

const at = (nodeName: string, number: number, labels: Readonly<Record<string, string>> = {}) => ({
  ...{ node: nodeName, labels, ports: [{ name: "web", port: 8080 }] },
  ips: [`10.244.${nodeName === "n1" ? 0 : 1}.${number}`, `fd00:0:0:${nodeName === "n1" ? 0 : 1}::${number}`],
});
const world = [
  node("n1", { ips: ["172.18.0.2", "fd18::2"], podCidrs: ["10.244.0.0/24", "fd00:0:0:0::/64"] }),
  node("n2", { ips: ["172.18.0.3", "fd18::3"], podCidrs: ["10.244.1.0/24", "fd00:0:0:1::/64"] }),
  namespace("blue", { tenant: "blue" }),
  namespace("blue-too", { tenant: "blue" }),
  namespace("red", { tenant: "red" }),
  pod("blue", "web", at("n1", 10, { app: "web" })),
  pod("blue", "db", at("n2", 11, { app: "db" })),
  pod("blue-too", "client", at("n1", 12)),
  pod("red", "client", at("n2", 13)),
  pod("red", "monitor", at("n1", 14, { app: "monitor" })),
  pod("kube-system", "dns", at("n2", 15, { "k8s-app": "kube-dns" })),
];
const red = { namespaces: { matchLabels: { tenant: "red" } } };
const monitor = {
  pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "monitor" } } },
};
/** Above: the monitor is let in, TCP 8443 is shut, the rest of red is passed on. Below: red is shut out. */
const around = [
  adminPolicy("above", {
    ...{ priority: 5, subject: { namespaces: {} } },
    ingress: [
      { action: "Allow", from: [monitor], ports: [{ portNumber: { protocol: "TCP", port: 9090 } }] },
      {
        ...{ action: "Deny", from: [{ namespaces: {} }] },
        ports: [{ portNumber: { protocol: "TCP", port: 8443 } }],
      },
      { action: "Pass", from: [red] },
    ],
  }),
  baselinePolicy({ subject: { namespaces: {} }, ingress: [{ action: "Deny", from: [red] }] }),
];
const own = (name: string, spec: unknown): KubernetesObject => ({
  ...{
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace: "blue-too" },
    spec,
  },
});
const named = (policyTypes: readonly string[]) =>
  own("named", {
    ...{ podSelector: {}, policyTypes },
    ingress: [
      { ports: [{ port: "web" }] },
      { from: [{ ipBlock: { cidr: "10.244.0.0/16", except: ["10.244.1.0/24"] } }] },
    ],
  });

await describeEndToEnd("NetworkPolicies", options, (harness) => {
  const plane = () => harness().plane;
  const counts = { packets: 0, denied: 0 };

  beforeAll(async () => {
    await harness().objects.apply(...world, ...around);
    const objects = await harness().now();
    await applyCni(harness().ovn, { pods: objects.filter(isPod), nodes: objects.filter(isNode) });
    await harness().start().ready();
    await harness().converged();
  }, slow);
  afterEach(() => {
    harness().run.assertClean();
  });
  afterAll(() => {
    say(`NetworkPolicies: ${counts.packets} packets, ${counts.denied} denied`);
  });

  /** What OVN says to one in some of the packets, and to all that a tier decides or passes, is what the policies mean. */
  async function traced(): Promise<ReadonlySet<string>> {
    const objects = await harness().now();
    const model = new OfflineModel({
      dialects: everyDialect.dialects,
      families: null,
      backend: () => noBackend,
    });
    model.observe(objects);
    const judged = questions(objects.filter(isPod)).map((question) => ({
      ...question,
      judgement: model.judge(question.connection),
    }));
    // One of each chain of rules, verdict and protocol.
    const chains = new Map(
      judged.map((one) => {
        const { egress, ingress, verdict } = one.judgement;
        const steps = [...egress.steps, ...ingress.steps].map(
          ({ policy, rule }) => `${policy.ref.kind}/${policy.ref.name} ${rule?.index ?? "end"}`,
        );
        return [`${steps.join(" ")} ${verdict} ${one.packet.protocol}`, one] as const;
      }),
    );
    expect(await parseErrors(harness().ovn)).toEqual([]);
    const tracer = await openTracer(harness().ovn);
    const wrong: unknown[] = [];
    try {
      for (const [chain, { packet, connection, judgement }] of chains) {
        const { verdict } = await tracer.verdict(packet);
        if (verdict !== (judgement.verdict === "allow" ? "allow" : "drop"))
          wrong.push({ chain, connection, verdict });
        counts.packets += 1;
        counts.denied += verdict === "drop" ? 1 : 0;
      }
    } finally {
      await tracer.close();
    }
    expect(wrong).toEqual([]);
    return new Set(chains.keys());
  }

  const rowsOf = async (isOurs: (type: string) => boolean) => {
    const { Port_Group, Address_Set, ACL } = (await harness().rows()).tables;
    return [...Port_Group, ...Address_Set, ...ACL].filter(({ external_ids }) =>
      isOurs(external_ids[keys.ownerType] ?? ""),
    );
  };
  const isNetworkPolicys = (type: string) => kindsOfOurs.includes(type);

  test(
    "the samples: rows, and packets through all three tiers",
    async () => {
      await harness().objects.applyFiles(samples);
      await harness().objects.apply(named(["Ingress"]));
      await harness().converged();
      const met = [...(await traced())];
      const through = (pattern: RegExp) => met.filter((chain) => pattern.test(chain)).length;
      expect(through(/AdminNetworkPolicy\/above 2 NetworkPolicy\/\S+ end deny/)).toBeGreaterThan(0);
      expect(through(/AdminNetworkPolicy\/above 2 NetworkPolicy\/named \d allow/)).toBeGreaterThan(0);
      expect(
        through(/AdminNetworkPolicy\/above 2 BaselineAdminNetworkPolicy\/default 0 deny/),
      ).toBeGreaterThan(0);
      expect(through(/AdminNetworkPolicy\/above 0 allow/)).toBeGreaterThan(0);
    },
    slow,
  );

  test(
    "edits, the annotation of a namespace, and deletions: rows as of a fresh start at each step",
    async () => {
      await harness().objects.apply(named(["Ingress", "Egress"]));
      await harness().converged();
      await plane().kubectl([
        "annotate",
        "ns",
        "blue",
        'k8s.ovn.org/acl-logging={"allow":"info","deny":"alert"}',
      ]);
      await harness().converged();
      const logged = async () =>
        (await harness().rows()).tables.ACL.flatMap(({ log, severity }) => (log ? [severity] : []));
      expect(new Set(await logged())).toEqual(new Set(["info", "alert"]));
      await plane().kubectl(["annotate", "ns", "blue", "k8s.ovn.org/acl-logging-"]);
      await harness().converged();
      expect(await logged()).toEqual([]);
      await plane().kubectl(["label", "ns", "blue-too", "tenant=green", "--overwrite"]);
      await plane().kubectl(["delete", "netpol", "-n", "blue", "isolated"]);
      await harness().converged();
      await traced();
    },
    slow,
  );

  test(
    "switched off, the rows stay and are counted; cleanup takes exactly them",
    async () => {
      await harness().end();
      const before = await rowsOf(() => true);
      const run = harness().start({ args: ["--enable-network-policy=false"] });
      await run.ready();
      await eventually(() => {
        expect(run.log()).toContainEqual(
          expect.objectContaining({
            message: "rows of a disabled kind stay in force and are no longer updated",
            ...{ kind: "NetworkPolicy", portGroups: 2 },
          }),
        );
      }, 20_000);
      // One that is deleted meanwhile is none of this run's business.
      await plane().kubectl(["delete", "netpol", "-n", "blue-too", "named"]);
      await plane().kubectl(["label", "pod", "-n", "red", "client", "seen=yes"]);
      expect((await run.metrics()).value("northgate_nb_operations_total")).toBe(0);
      await harness().end();
      expect(await rowsOf(() => true)).toEqual(before);

      const cleanup = (...args: readonly string[]) =>
        northgate("cleanup", `--nb=${harness().ovn.nb}`, `--kubeconfig=${harness().kubeconfig}`, ...args);
      const done = cleanup("--kind=NetworkPolicy", "--yes");
      expect([done.code, done.stderr]).toEqual([0, ""]);
      expect(await rowsOf(() => true)).toEqual(
        before.filter(({ external_ids }) => !isNetworkPolicys(external_ids[keys.ownerType] ?? "")),
      );
      expect(await rowsOf(isNetworkPolicys)).toEqual([]);
      // Switched on again it has caught up.
      await harness().start().ready();
      await harness().converged();
      await traced();
    },
    slow,
  );
});
