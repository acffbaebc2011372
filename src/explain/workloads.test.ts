// Workloads, Services and names of ports in questions: what is shown of them, and what is refused.

import { describe, expect, test } from "@jest/globals";
import { webToDb, worldOf } from "../../test/support/asked-world.ts";
import { workload } from "../../test/support/facts.ts";
import { np } from "../../test/support/policies.ts";
import type { ReferencedObject } from "../model/object.ts";
import { NoSuchEnd } from "../analysis/end-query.ts";
import type { Question } from "./question.ts";
import { explain } from "./explain.ts";

const api = workload("blue", "api", {
  labels: { app: "api" },
  ports: [
    { name: "http", protocol: "tcp", port: 8080 },
    { name: "dns", protocol: "udp", port: 53 },
  ],
});
const service = (name: string, spec: object): ReferencedObject => ({
  ...{ apiVersion: "v1", kind: "Service", namespace: "blue", name, uid: null, generation: null },
  ...{ annotations: new Map(), labels: new Map(), spec },
});
const services = [
  service("api", { selector: { app: "api" }, ports: [{ name: "web", port: 80, targetPort: "http" }] }),
  service("both", {
    selector: { app: "db" },
    clusterIP: "10.96.0.7",
    ports: [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ],
  }),
];
const onlyHttp = np(
  "api",
  {
    podSelector: { matchLabels: { app: "api" } },
    ingress: [
      { ports: [{ port: "http" }] },
      { from: [{ ipBlock: { cidr: "10.0.0.0/24" } }], ports: [{ port: 99 }] },
    ],
  },
  "blue",
);
const ask = (question: Partial<Question>) =>
  explain(
    worldOf([onlyHttp], { workloads: [api], services }),
    { ...webToDb, ...question },
    { isDetailed: false },
  );

describe("a workload", () => {
  test("has no address, and its named ports count", () => {
    const { to, verdict, port } = ask({ to: "blue/deploy/api", port: "http" });
    expect([verdict, port]).toEqual(["allow", 8080]);
    expect(to).toEqual({
      ...{ text: "blue/deploy/api", ip: null, pod: null, node: null, kind: "workload" },
      workload: { group: "apps", kind: "Deployment", namespace: "blue", name: "api" },
    });
    expect(ask({ to: "blue/deploy/api", port: 8081 }).verdict).toBe("deny");
  });

  test("is open where its address decides, and the rule is named", () => {
    const asked = { from: "blue/deploy/api", to: "blue/deploy/api" };
    const { verdict, caveats } = ask({ ...asked, port: 99 });
    expect(verdict).toBe("unknown");
    expect(caveats).toEqual([
      {
        code: "NoAddress",
        text: "blue/api (Deployment): the pods are not among the objects, so their addresses and nodes are unknown: the verdict depends on them (NetworkPolicy blue/api ingress[1])",
      },
    ]);
    // A pod's address is known.
    expect(ask({ to: "blue/deploy/api", port: 99 }).verdict).toBe("allow");
    // Two pods of it are not one pod.
    expect(ask({ ...asked, port: 8081 }).verdict).toBe("deny");
  });

  test("behind a Service that is asked for by its name", () => {
    const { to, verdict, port, backends, caveats } = ask({ to: "blue/svc/api:web", port: null });
    expect([verdict, port]).toEqual(["allow", 80]);
    expect(to).toMatchObject({ kind: "service", ip: null, service: "blue/api" });
    expect(backends).toEqual([{ to: "blue/api (Deployment)", port: 8080, verdict: "allow" }]);
    expect(caveats.map(({ code }) => code)).toEqual(["ServiceAddress"]);
  });
});

describe("a Service by its name", () => {
  test("has its pods' verdicts, as its address has", () => {
    const [byName, byAddress] = [ask({ to: "blue/svc/both" }), ask({ to: "10.96.0.7" })];
    expect([byName.verdict, byName.backends]).toEqual([byAddress.verdict, byAddress.backends]);
    expect(byName.backends).toEqual([{ to: "blue/db-0@10.0.0.2", port: 80, verdict: "allow" }]);
  });

  test.each([
    [{ to: "blue/svc/both", port: null }, '"blue/svc/both": a port is needed; it has tcp 80 (a), 81 (b)'],
    [{ to: "blue/svc/both", port: "c" }, '"blue/svc/both": there is no port "c"; it has tcp 80 (a), 81 (b)'],
    [{ to: "blue/deploy/api", port: null }, '"blue/deploy/api": a port is needed'],
    [
      { to: "blue/deploy/api", port: "dns" },
      '"blue/deploy/api": no container port of tcp is named "dns"; the names are http',
    ],
    [{ to: "blue/*" }, '"blue/*" is 4 ends: explain is asked about one'],
    [{ to: "10.0.0.0/8" }, '"10.0.0.0/8" is many addresses: explain is asked about one'],
  ] as const)("%o is refused", (question, message) => {
    expect(() => ask(question)).toThrow(new NoSuchEnd(message));
  });
});
