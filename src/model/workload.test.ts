// Which workloads stand for pods: those that own nothing which is there.

import { expect, test } from "@jest/globals";
import { pod, workload as made } from "../../test/support/facts.ts";
import type { Owner } from "./facts.ts";
import type { Workload } from "./workload.ts";
import { endsAmong, workloadText } from "./workload.ts";

const of = (kind: string, name: string): Owner => ({
  ...{ group: kind === "Job" || kind === "CronJob" ? "batch" : "apps", kind, name },
});
const workload = (kind: string, name: string, owner?: Owner, isSpent = false): Workload =>
  made("shop", name, { kind, isSpent, ...(owner === undefined ? {} : { owner }) });
const ends = (workloads: readonly Workload[], pods: Parameters<typeof endsAmong>[1] = []) =>
  endsAmong(workloads, pods).map(workloadText);
const ownedBy = (owner: Owner, labels: Record<string, string> = {}, namespace = "shop") => ({
  ...pod(namespace, "web-1"),
  labels: new Map(Object.entries(labels)),
  owner,
});

test("a workload without pods", () => {
  expect(ends([workload("Deployment", "web")])).toEqual(["shop/web (Deployment)"]);
});

test("a pod that it owns is there", () => {
  const all = [workload("StatefulSet", "db")];
  expect(ends(all, [ownedBy(of("StatefulSet", "db"))])).toEqual([]);
  expect(ends(all, [ownedBy(of("StatefulSet", "db"), {}, "other")])).toEqual(["shop/db (StatefulSet)"]);
  expect(ends(all, [ownedBy(of("Deployment", "db"))])).toEqual(["shop/db (StatefulSet)"]);
});

test("a pod that it owns through a ReplicaSet, which may be absent", () => {
  const deployment = workload("Deployment", "web");
  const replicas = workload("ReplicaSet", "web-5f8c", of("Deployment", "web"));
  const running = ownedBy(of("ReplicaSet", "web-5f8c"), { "pod-template-hash": "5f8c" });
  expect(ends([deployment, replicas], [running])).toEqual([]);
  expect(ends([deployment], [running])).toEqual([]);
  // Nobody has said whose the ReplicaSet is.
  expect(ends([deployment], [ownedBy(of("ReplicaSet", "web-5f8c"))])).toEqual(["shop/web (Deployment)"]);
});

test("a Job of a CronJob", () => {
  expect(ends([workload("CronJob", "report")], [ownedBy(of("Job", "report-29012345"))])).toEqual([]);
  expect(
    ends([workload("CronJob", "report"), workload("Job", "report-29012345", of("CronJob", "report"))]),
  ).toEqual(["shop/report-29012345 (Job)"]);
});

test("a ReplicaSet of a rollout that is over stands for nothing", () => {
  const owner = of("Deployment", "web");
  const old = workload("ReplicaSet", "web-1111", owner, true);
  expect(ends([workload("Deployment", "web"), old])).toEqual(["shop/web (Deployment)"]);
  expect(ends([workload("Deployment", "web"), old, workload("ReplicaSet", "web-2222", owner)])).toEqual([
    "shop/web-2222 (ReplicaSet)",
  ]);
});

test("owners in a circle end", () => {
  const [one, other] = [workload("Job", "a", of("Job", "b")), workload("Job", "b", of("Job", "a"))];
  expect(ends([one, other], [ownedBy(of("Job", "a"))])).toEqual([]);
});
