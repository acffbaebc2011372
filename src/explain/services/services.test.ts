// Connections to Services: the answer of the pods behind them, or a table of them, and what a Service lacks.

import { describe, expect, test } from "@jest/globals";
import { toDb, webToDb, worldOf } from "../../../test/support/asked-world.ts";
import { acnp } from "../../../test/support/antrea.ts";
import { anp, np } from "../../../test/support/policies.ts";
import { pod } from "../../../test/support/facts.ts";
import { parseCidr } from "../../model/ip.ts";
import type { ReferencedObject, WorldObject } from "../../model/object.ts";
import type { AskedOptions } from "../asked.ts";
import type { Question } from "../question.ts";
import { explain } from "../explain.ts";

describe("the address of a Service", () => {
  const service: ReferencedObject = {
    ...{ kind: "Service", apiVersion: "v1", namespace: "blue", name: "db", uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map() },
    spec: {
      clusterIP: "10.96.0.10",
      clusterIPs: ["10.96.0.10", "fd96::10"],
      selector: { app: "db" },
      ports: [{ port: 80, targetPort: 5432 }],
    },
  };
  const policy = anp("p", {
    egress: [{ action: "Deny", to: toDb, ports: [{ portNumber: { protocol: "TCP", port: 5432 } }] }],
  });
  const ask = (to: string, options: Partial<AskedOptions> = { services: [service] }) =>
    explain(worldOf([policy], options), { ...webToDb, to }, { isDetailed: true });

  test("has the answer of the pods behind it, where they have the same", () => {
    const answer = ask("10.96.0.10");
    expect([answer.verdict, answer.egress?.verdict, answer.caveats.map(({ code }) => code)]).toEqual([
      "deny",
      "deny",
      ["ServiceAddress"],
    ]);
    expect(answer.backends).toEqual([{ to: "blue/db-0@10.0.0.2", port: 5432, verdict: "deny" }]);
    expect(ask("fd96::10").backends).toEqual([{ to: "blue/db-0@fd00::2", port: 5432, verdict: "deny" }]);
  });

  test("leads to its pods as rules about Services see it, and a pod alone does not", () => {
    const client = [{ podSelector: { matchLabels: { app: "web" } } }];
    const spec = { priority: 5, appliedTo: client };
    const toServices = [{ name: "db", namespace: "blue" }];
    const through = acnp("p", { ...spec, egress: [{ action: "Drop", toServices }] });
    const answerOf = (to: string, port: number) =>
      explain(
        worldOf([through, service], { services: [service] }),
        { ...webToDb, to, port },
        { isDetailed: true },
      );
    expect(answerOf("10.96.0.10", 80).backends).toEqual([
      { to: "blue/db-0@10.0.0.2", port: 5432, verdict: "deny" },
    ]);
    const straight = answerOf("blue/db-0", 5432);
    expect([straight.verdict, straight.egress?.by]).toEqual(["allow", "default"]);
    expect(straight.egress?.near?.map(({ part, wanted, has }) => ({ part, wanted, has }))).toEqual([
      { part: "service", wanted: "a connection through a Service", has: "one straight to the pod" },
    ]);
    // It fails in two parts.
    expect(answerOf("blue/db-0", 80).egress?.near).toEqual([]);
  });

  test("in a network that the user names is open too", () => {
    const serviceNetworks = [parseCidr("10.96.0.0/12")].filter((one) => one !== null);
    const answer = ask("10.96.7.7", { serviceNetworks });
    expect([answer.verdict, answer.backends]).toEqual(["unknown", undefined]);
    expect(ask("10.112.0.1", { serviceNetworks }).verdict).toBe("allow");
  });
});

describe("what a Service has and lacks", () => {
  const serviceOf = (spec: object, balancerIps: readonly string[] = []): ReferencedObject => ({
    ...{ kind: "Service", apiVersion: "v1", namespace: "blue", name: "any", uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map(), spec, balancerIps },
  });
  const all = { clusterIP: "10.96.0.11", selector: {}, ports: [] };
  /** Of the two pods with the label, one may not be reached. */
  const both = {
    ...all,
    selector: { part: "both" },
    ports: [
      { port: 80, targetPort: 5432, nodePort: 30080 },
      { port: 53, protocol: "UDP" },
    ],
  };
  const pods = [
    pod("blue", "a", { node: "n1", labels: { part: "both", app: "db" }, ips: ["10.0.0.21"] }),
    pod("blue", "b", { node: "n1", labels: { part: "both", app: "web" }, ips: ["10.0.0.22"] }),
  ];
  const denied = anp("p", {
    egress: [
      {
        action: "Deny",
        to: [{ pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "db" } } } }],
      },
    ],
  });
  const ask = (service: ReferencedObject, question: Partial<Question> = {}) =>
    explain(
      worldOf([denied, ...pods], { services: [service] }),
      { ...webToDb, to: "10.96.0.11", ...question },
      { isDetailed: false },
    );

  test("pods of different answers leave it open, in a table of them", () => {
    const answer = ask(serviceOf(both));
    expect([answer.verdict, answer.egress?.verdict]).toEqual(["unknown", "unknown"]);
    expect(answer.backends?.map(({ to, verdict }) => [to, verdict])).toEqual([
      ["blue/a@10.0.0.21", "deny"],
      ["blue/b@10.0.0.22", "allow"],
    ]);
    expect(answer.caveats[0]?.text).toMatch(/2 pods are behind it; the verdict depends on which/);
  });

  test("an external address and one that a load balancer has given are the Service's too", () => {
    const allowed = { ...both, selector: { app: "web", part: "both" } };
    const given = serviceOf({ ...allowed, externalIPs: ["192.0.2.8"] }, ["203.0.113.9"]);
    for (const to of ["192.0.2.8", "203.0.113.9"])
      expect(ask(given, { to }).backends?.map(({ verdict }) => verdict)).toEqual(["allow"]);
  });

  test("a node port leads to the pods, another port of the node to the node", () => {
    const dbOnly = serviceOf({ ...both, selector: { app: "db", part: "both" } });
    expect(ask(dbOnly, { to: "172.18.0.2", port: 30080 })).toMatchObject({
      verdict: "deny",
      backends: [{ to: "blue/a@10.0.0.21", port: 5432 }],
    });
    expect(ask(dbOnly, { to: "172.18.0.2", port: 30081 }).backends).toBeUndefined();
  });

  test.each<readonly [string, object, Partial<Question>, RegExp]>([
    [
      "a port that it lacks",
      both,
      { port: 81 },
      /^10\.96\.0\.11 is an address .*, which has no port tcp 81; it has tcp 80, udp 53$/,
    ],
    ["a protocol that it lacks", both, { protocol: "icmp", port: null }, /has no port icmp; it has tcp 80/],
    ["no pod", { ...both, selector: { app: "none" } }, {}, /no pod behind its port 80 is known/],
    ["no selector", { ...both, selector: null }, {}, /it has no selector: its endpoints are not known/],
  ])("%s is said, and the verdict is open", (_, spec, question, text) => {
    const { verdict, caveats } = ask(serviceOf(spec), question);
    expect([verdict, caveats[0]?.code]).toEqual(["unknown", "ServiceAddress"]);
    expect(caveats[0]?.text).toMatch(text);
  });

  test("a client, or a pod behind it, whose address another pod has too leaves it open where that matters", () => {
    const fromWeb = { podSelector: { matchLabels: { app: "web" } } };
    const onlyWeb = np(
      "n",
      { podSelector: { matchLabels: { part: "both" } }, ingress: [{ from: [fromWeb] }] },
      "blue",
    );
    const client = (name: string) =>
      pod("blue", name, { node: "n1", labels: { app: name }, ips: ["10.0.0.30"] });
    const service = serviceOf({ ...both, selector: { app: "web", part: "both" } });
    const told = (...objects: readonly WorldObject[]) => {
      const world = worldOf([...pods, ...objects], { services: [service] });
      const question = { ...webToDb, from: "blue/web@10.0.0.30", to: "10.96.0.11" };
      const { verdict, caveats } = explain(world, question, { isDetailed: false });
      return [verdict, ...caveats.filter(({ code }) => code === "SharedAddress").map(({ text }) => text)];
    };
    expect(told(client("web"), onlyWeb)).toEqual(["allow"]);
    const twins = told(client("web"), client("other"), onlyWeb);
    expect(twins).toEqual([
      "unknown",
      expect.stringContaining("another running pod too, blue/other: the address"),
    ]);
    const backend = pod("blue", "c", { node: "n1", labels: { app: "db" }, ips: ["10.0.0.22"] });
    expect(told(client("web"), backend, denied)).toEqual([
      "unknown",
      expect.stringContaining("10.0.0.22 is the address of another running pod too, blue/c"),
    ]);
  });
});
