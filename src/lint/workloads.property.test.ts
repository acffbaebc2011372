// A repository of workloads has the findings of the cluster that they become: in random worlds whose policies name no part of the
// addresses, two pods of each kind and one workload in their place have the same rules of the catalogue under the same policies. Where
// policies name networks, what is found of a workload is found of its pods wherever they are, while each network has an address that no
// pod has. RUNS gives the number of worlds.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { deploymentOf, namespace, node, pod } from "../../test/support/facts.ts";
import { found } from "../../test/support/linted.ts";
import { anp, banp, np } from "../../test/support/policies.ts";
import type { PodFact } from "../model/facts.ts";
import type { PolicyObject, ReferencedObject } from "../model/object.ts";

const numRuns = Number(process.env["RUNS"] ?? 150);
const apps = ["a", "b", "c"] as const;
const spaces = ["shop", "ops"] as const;
const selector = fc.constantFrom<object>({}, ...apps.map((app) => ({ matchLabels: { app } })), {
  matchExpressions: [{ key: "app", operator: "NotIn", values: ["a", "none"] }],
});
const space = fc.constantFrom<object>({}, ...spaces.map((name) => ({ matchLabels: { name } })));
const everyAddress = fc.constant({ ipBlock: { cidr: "0.0.0.0/0" } });
const podPeer = fc.oneof(
  selector.map((podSelector) => ({ podSelector })),
  fc.record({ namespaceSelector: space, podSelector: selector }),
);
const anywhere = fc.oneof(podPeer, everyAddress);
const blocks = ["10.0.0.0/16", "10.0.1.0/24", "10.0.0.0/31"];
const somewhere = fc.oneof(
  anywhere,
  fc.constantFrom(...blocks).map((cidr) => ({ ipBlock: { cidr } })),
  fc.constantFrom(...blocks).map((cidr) => ({ ipBlock: { cidr: "0.0.0.0/0", except: [cidr] } })),
);
const port = fc.constantFrom<object>(
  { port: 80 },
  { port: "http" },
  { port: "htpp" },
  { port: 53, protocol: "UDP" },
);
const ports = fc.option(fc.array(port, { minLength: 1, maxLength: 2 }), { nil: undefined });
const rules = (field: "from" | "to", peer: fc.Arbitrary<object>) =>
  fc.array(
    fc.record({ [field]: fc.array(peer, { minLength: 1, maxLength: 2 }), ports }, { requiredKeys: [field] }),
    { maxLength: 2 },
  );
const networkPolicy = (peer: fc.Arbitrary<object>) =>
  fc.record({
    home: fc.constantFrom(...spaces),
    spec: fc.record({
      podSelector: selector,
      policyTypes: fc.subarray(["Ingress", "Egress"] as const, { minLength: 1 }),
      ingress: rules("from", peer),
      egress: rules("to", peer),
    }),
  });
const adminPeer = fc.oneof(
  space.map((namespaces) => ({ namespaces })),
  fc.record({ namespaceSelector: space, podSelector: selector }).map((pods) => ({ pods })),
);
const outward = fc.oneof(
  adminPeer,
  fc.constantFrom(...blocks, "0.0.0.0/0").map((cidr) => ({ networks: [cidr] })),
);
const adminRules = (field: "from" | "to", other: fc.Arbitrary<object> = adminPeer) =>
  fc.array(
    fc.record({
      action: fc.constantFrom("Allow", "Deny", "Pass"),
      [field]: fc.array(other, { minLength: 1, maxLength: 2 }),
    }),
    { maxLength: 3 },
  );
const adminPolicy = (to: fc.Arbitrary<object>) =>
  fc.record({
    priority: fc.constantFrom(1, 2),
    subject: space.map((namespaces) => ({ namespaces })),
    ingress: adminRules("from"),
    egress: adminRules("to", to),
  });
const baseline = adminPolicy(adminPeer).map(({ ingress, egress }) =>
  banp({ ingress: ingress.map(decided), egress: egress.map(decided) }),
);
const policies = (peer: fc.Arbitrary<object>, to: fc.Arbitrary<object>) =>
  fc
    .tuple(
      fc.array(networkPolicy(peer), { maxLength: 3 }),
      fc.array(adminPolicy(to), { maxLength: 2 }),
      fc.option(baseline),
    )
    .map(([own, admin, last]): readonly PolicyObject[] => [
      ...own.map(({ home, spec }, at) => np(`np${at}`, spec, home)),
      ...admin.map((spec, at) => anp(`anp${at}`, spec)),
      ...(last === null ? [] : [last]),
    ]);
const kinds = fc.uniqueArray(
  fc.record({ home: fc.constantFrom(...spaces), app: fc.constantFrom(...apps), declares: fc.boolean() }),
  { minLength: 1, maxLength: 4, selector: ({ home, app }) => `${home} ${app}` },
);
const services = fc.array(fc.constantFrom(...apps), { maxLength: 2 });

/** A baseline passes nothing on. */
function decided(rule: object): object {
  return "action" in rule && rule.action === "Pass" ? { ...rule, action: "Deny" } : rule;
}

function serviceOf(app: string, at: number): ReferencedObject {
  return {
    ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name: `s${at}`, uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map() },
    spec: { clusterIP: "None", selector: { app }, ports: [{ port: 80, targetPort: 8080 }] },
  };
}

const nodes = ["n1", "n2"].map((name, at) => node(name, {}, [`172.18.0.${at + 1}`]));
const dns = pod("kube-system", "dns-0", {
  ...{ ips: ["10.9.0.1"], node: "n1", labels: { app: "dns" } },
  ports: [{ name: "dns", protocol: "udp", port: 53 }],
});
const cluster = [
  ...nodes,
  dns,
  ...[...spaces, "mon", "kube-system"].map((name) =>
    namespace(name, { name, "kubernetes.io/metadata.name": name }),
  ),
];

interface Kind {
  readonly home: string;
  readonly app: string;
  readonly declares: boolean;
}

function podOf({ home, app, declares }: Kind, name: string, ips: readonly string[], on: string): PodFact {
  const http = [
    { name: "http", protocol: "tcp", port: 8080 },
    { name: "metrics", protocol: "tcp", port: 9090 },
  ] as const;
  return pod(home, name, { labels: { app }, ips, node: on, ports: declares ? http : [] });
}

test("two pods of each kind have the findings of the workload that makes them", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(kinds, policies(anywhere, adminPeer), services, (drawn, objects, led) => {
      const list: readonly Kind[] = [...drawn, { home: "mon", app: "prom", declares: false }];
      const pods = list.flatMap((kind, at) =>
        nodes.map(({ name }, nth) =>
          podOf(kind, `${kind.app}-${at}-${nth}`, [`10.0.${at}.${nth + 1}`], name),
        ),
      );
      const workloads = list.map((kind) => deploymentOf(podOf(kind, kind.app, [], "n1")));
      const task = { needs: { monitoring: "mon" }, services: led.map(serviceOf) };
      const ofPods = found([...cluster, ...pods, ...objects], [], task);
      const ofWorkloads = found([...cluster, ...objects], [], { ...task, workloads });
      expect(ofWorkloads).toEqual(ofPods);
      for (const text of ofPods) {
        const [id = ""] = text.split(" ");
        seen.set(id, (seen.get(id) ?? 0) + 1);
      }
    }),
    { numRuns },
  );
  const ids = ["NG001", "NG002", "NG003", "NG004", "NG006", "NG008", "NG011", "NG013", "NG021", "NG024"];
  for (const id of [...ids, "NG026", "NG027", "NG028"]) expect([id, seen.get(id) ?? 0]).not.toEqual([id, 0]);
});

test("what is found of a workload holds wherever its pods are", () => {
  const ids = ["NG003", "NG007", "NG008", "NG011", "NG021", "NG024", "NG026"];
  const counts = { found: 0, more: 0 };
  // 10.0.0.0 stays free: where pods have all addresses of a network, nothing is found of its other addresses.
  const every = ["10.0.0", "10.0.1", "10.7.0"].flatMap((net) => [1, 2, 3, 9].map((last) => `${net}.${last}`));
  const places = fc.shuffledSubarray(every, { minLength: every.length });
  fc.assert(
    fc.property(kinds, policies(somewhere, outward), services, places, (drawn, objects, led, ips) => {
      const list: readonly Kind[] = [...drawn, { home: "mon", app: "prom", declares: false }];
      // Two pods of a workload are two pods.
      const pods = list.flatMap((kind, at) =>
        [0, 1].map((nth) => {
          const own = ips.slice(2 * at + nth, 2 * at + nth + 1);
          return podOf(kind, `${kind.app}-${at}-${nth}`, own, "n1");
        }),
      );
      const workloads = list.map((kind) => deploymentOf(podOf(kind, kind.app, [], "n1")));
      const task = { needs: { monitoring: "mon" }, services: led.map(serviceOf) };
      const ofPods = found([...cluster, ...pods, ...objects], ids, task);
      const ofWorkloads = found([...cluster, ...objects], ids, { ...task, workloads });
      const isCertain = (text: string): boolean => !text.startsWith("NG003 info");
      // Which rule denies a service may depend on the address.
      const likeness = (text: string): string => (/^NG0(08|11)/.test(text) ? text.slice(0, 12) : text);
      const known = new Set(ofPods.map(likeness));
      const unfounded = ofWorkloads.filter((text) => isCertain(text) && !known.has(likeness(text)));
      expect(unfounded).toEqual([]);
      counts.found += ofWorkloads.filter(isCertain).length;
      counts.more += ofPods.filter((text) => !ofWorkloads.includes(text)).length;
    }),
    { numRuns },
  );
  expect(counts.found).toBeGreaterThan(50);
  expect(counts.more).toBeGreaterThan(4);
});
