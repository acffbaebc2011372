// What workloads say of the pods that they make.

import { expect, test } from "@jest/globals";
import { serviceAccountKey } from "../model/selectable.ts";
import { readWorkload } from "./workload.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { serviceAccountName: "robot" } };
const workload = (apiVersion: string, kind: string, spec: unknown) =>
  readWorkload({ apiVersion, kind, metadata: { namespace: "shop", name: "web" }, spec });

test.each([
  ["apps/v1", "Deployment", { template }],
  ["apps/v1beta1", "StatefulSet", { template }],
  ["batch/v1", "Job", { template }],
  ["batch/v1", "CronJob", { jobTemplate: { spec: { template } } }],
])("%s %s", (apiVersion, kind, spec) => {
  const labels = new Map([
    ["app", "web"],
    [serviceAccountKey, "robot"],
  ]);
  expect(workload(apiVersion, kind, spec)).toEqual({
    ...{ group: apiVersion.split("/")[0], kind, namespace: "shop", name: "web" },
    ...{ labels, hostNetwork: false },
  });
});

test("another kind is none, and pods may be on their node's network", () => {
  expect(workload("v1", "Service", { template })).toBeNull();
  expect(workload("example.com/v1", "Deployment", { template })).toBeNull();
  const spec = { template: { spec: { hostNetwork: true } } };
  expect(workload("apps/v1", "Deployment", spec)).toMatchObject({ hostNetwork: true });
});

test("whatever stands there, it is read or passed over", () => {
  for (const value of [null, 7, [], { kind: {} }, { apiVersion: "apps/v1", kind: "Deployment", spec: 7 }])
    expect(() => readWorkload(value)).not.toThrow();
  const odd = workload("apps/v1", "Deployment", { template: { metadata: { labels: { app: 7 } } } });
  expect(odd?.labels.get("app")).toBe("");
});
