// What workloads say of the pods that they make, and what is refused of them.

import { expect, test } from "@jest/globals";
import { parseWorkload } from "./workload.ts";

const template = {
  metadata: { labels: { app: "web" } },
  spec: {
    serviceAccountName: "robot",
    containers: [{ ports: [{ name: "http", containerPort: 8080 }] }],
  },
};
const workload = (apiVersion: string, kind: string, spec: unknown, more: object = {}) =>
  parseWorkload({ apiVersion, kind, metadata: { namespace: "shop", name: "web", ...more }, spec });

test.each([
  ["apps/v1", "Deployment", { template }],
  ["apps/v1beta1", "StatefulSet", { template }],
  ["apps/v1", "DaemonSet", { template }],
  ["apps/v1", "ReplicaSet", { template }],
  ["batch/v1", "Job", { template }],
  ["batch/v1", "CronJob", { jobTemplate: { spec: { template } } }],
])("%s %s", (apiVersion, kind, spec) => {
  const read = workload(apiVersion, kind, spec);
  expect(read?.problems).toEqual([]);
  expect(read?.object).toEqual({
    ...{ group: apiVersion.split("/")[0], kind, namespace: "shop", name: "web", owner: null, isSpent: false },
    template: {
      ...{ kind: "Pod", namespace: "shop", name: `${kind}:web`, labels: new Map([["app", "web"]]) },
      ...{ node: "", serviceAccount: "robot", hostNetwork: false, completed: false, ips: [] },
      ...{ ports: [{ name: "http", protocol: "tcp", port: 8080 }], mountsToken: false, isTemplate: true },
    },
  });
});

test("another kind is none, and pods may be on their node's network", () => {
  expect(workload("v1", "Service", { template })).toBeNull();
  expect(workload("example.com/v1", "Deployment", { template })).toBeNull();
  const spec = { template: { spec: { hostNetwork: true } } };
  expect(workload("apps/v1", "Deployment", spec)?.object?.template.hostNetwork).toBe(true);
});

test("ports of sidecars are the template's too", () => {
  const sidecar = { restartPolicy: "Always", ports: [{ name: "proxy", containerPort: 9443 }] };
  const spec = { template: { spec: { ...template.spec, initContainers: [sidecar] } } };
  const ports = workload("apps/v1", "Deployment", spec)?.object?.template.ports;
  expect(ports?.map(({ name, port }) => [name, port])).toEqual([
    ["http", 8080],
    ["proxy", 9443],
  ]);
});

test("the controller among the owners counts, and an owned one without replicas is spent", () => {
  const ownerReferences = [
    { apiVersion: "example.com/v1", kind: "App", name: "shop" },
    { apiVersion: "apps/v1", kind: "Deployment", name: "web", controller: true },
  ];
  const read = (replicas: number, more: object = {}) =>
    workload("apps/v1", "ReplicaSet", { template, replicas }, more)?.object;
  expect(read(1, { ownerReferences })).toMatchObject({
    owner: { group: "apps", kind: "Deployment", name: "web" },
    isSpent: false,
  });
  expect(read(0, { ownerReferences })?.isSpent).toBe(true);
  expect(read(0)?.isSpent).toBe(false);
});

test("what the API server would refuse is an error at its field", () => {
  const read = workload("apps/v1", "Deployment", { template: { metadata: { labels: { app: 7 } } } });
  expect(read?.object).toBeNull();
  expect(read?.problems.map(({ severity, field }) => [severity, field])).toEqual([
    ["error", "spec.template.metadata.labels.app"],
  ]);
  const without = workload("apps/v1", "Deployment", {});
  expect(without?.problems.map(({ severity, field }) => [severity, field])).toEqual([
    ["error", "spec.template"],
  ]);
});

test("whatever stands there, it is read or refused", () => {
  for (const value of [null, 7, [], { kind: {} }, { apiVersion: "apps/v1", kind: "Deployment", spec: 7 }])
    expect(() => parseWorkload(value)).not.toThrow();
});
