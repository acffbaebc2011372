// A matrix of a small cluster: which places there are, what differs from another one, and what it costs.

import { describe, expect, test } from "@jest/globals";
import { worldOf } from "../../test/support/asked-world.ts";
import { namespace, pod, workload } from "../../test/support/facts.ts";
import { anp, namespacesWith } from "../../test/support/policies.ts";
import { Crossings } from "../crossings/crossings.ts";
import { allTraffic } from "../crossings/ports-asked.ts";
import type { WorldObject } from "../model/object.ts";
import { cellsOf } from "./cells.ts";
import { matrix, matrixDiff, otherNamespaces, outsidePlace } from "./matrix.ts";
import type { MatrixQuestion, MatrixReport } from "./report.ts";
import { cellText } from "./words.ts";

const everything: MatrixQuestion = { namespace: null, protocol: null, port: null };
const db = { portNumber: { protocol: "TCP", port: 5432 } };
const deny = anp("p", {
  subject: namespacesWith({ tenant: "blue" }),
  ingress: [{ action: "Deny", from: [{ namespaces: { matchLabels: { tenant: "red" } } }], ports: [db] }],
});

function of(objects: readonly WorldObject[], question: Partial<MatrixQuestion> = {}): MatrixReport {
  return matrix(worldOf(objects), { ...everything, ...question });
}

function lines({ cells }: MatrixReport): readonly string[] {
  return cells.map(({ from, to, reach }) => `${from} → ${to} ${reach}`);
}

test("namespaces against namespaces; one pod alone has no connection within its own", () => {
  const report = of([deny]);
  expect(report.places).toEqual([
    { name: "blue", pods: 2 },
    { name: "red", pods: 1 },
    { name: outsidePlace, pods: 0 },
  ]);
  expect(lines(report)).toEqual([
    "blue → blue all",
    "blue → red all",
    "blue → (outside) all",
    "red → blue some",
    "red → (outside) all",
    "(outside) → blue all",
    "(outside) → red all",
  ]);
  const cell = report.cells.find(({ from, to }) => from === "red" && to === "blue");
  expect(cell && cellText(cell.traffic)).toBe("none: tcp 5432; all: all other traffic");
});

test("of one port it is about that port alone", () => {
  const { cells } = of([deny], { protocol: "tcp", port: 5432 });
  expect(cells.find(({ from, to }) => from === "red" && to === "blue")).toEqual({
    ...{ from: "red", to: "blue", reach: "none" },
    traffic: { none: [{ protocol: "tcp", ports: [[5432, 5432]] }] },
  });
});

describe("the workloads of one namespace", () => {
  test("stand beside the other namespaces and what is outside", () => {
    const report = of([deny], { namespace: "blue" });
    expect(report.places.map(({ name }) => name)).toEqual([
      ...["blue/[app=db]", "blue/[app=six]", otherNamespaces, outsidePlace],
    ]);
    expect(lines(report)).toContain("(other namespaces) → blue/[app=db] some");
  });

  test("of a namespace that is not there: the nearest name", () => {
    expect(() => of([], { namespace: "bleu" })).toThrow(
      'there is no pod in a namespace "bleu"; did you mean "blue"?',
    );
  });
});

describe("workloads without pods", () => {
  const web = workload("shop", "web", { labels: { app: "web" } });
  const options = { workloads: [web, workload("shop", "api", { kind: "StatefulSet" })] };
  const home = namespace("shop", { tenant: "red" });

  test("are ends of their namespace, counted apart from pods", () => {
    const report = matrix(worldOf([home, deny], options), { ...everything, protocol: "tcp", port: 5432 });
    expect(report.places).toContainEqual({ name: "shop", pods: 0, workloads: 2 });
    expect(lines(report)).toEqual(expect.arrayContaining(["shop → blue none", "shop → shop all"]));
    expect(report.caveats).toEqual([]);
  });

  test("are places of their own in a matrix of their namespace", () => {
    const report = matrix(worldOf([home, deny], options), { ...everything, namespace: "shop" });
    expect(report.places.map(({ name }) => name)).toEqual([
      ...["shop/api (StatefulSet)", "shop/web (Deployment)", otherNamespaces, outsidePlace],
    ]);
    expect(lines(report)).toContain("shop/web (Deployment) → shop/web (Deployment) all");
  });

  test("on the network of their nodes are not listed, and that is said", () => {
    const agent = workload("shop", "agent", { kind: "DaemonSet", hostNetwork: true });
    const { places, caveats } = matrix(worldOf([home], { workloads: [agent] }), everything);
    expect(places.map(({ name }) => name)).not.toContain("shop");
    expect(caveats.map(({ code }) => code)).toEqual(["HostNetwork"]);
  });
});

describe("what differs", () => {
  test("is in the changes, and nothing else", () => {
    const diff = matrixDiff(of([]), of([deny]), "old/");
    expect(diff.against).toBe("old/");
    expect(diff.changes?.map(({ from, to, old, new: next }) => [from, to, old?.reach, next?.reach])).toEqual([
      ["red", "blue", "all", "some"],
    ]);
    expect(matrixDiff(of([deny]), of([deny]), "old/").changes).toEqual([]);
  });

  test("has places of one world, too", () => {
    const more = [namespace("green"), pod("green", "a", { node: "n1", ips: ["10.0.2.1"] })];
    const diff = matrixDiff(of(more), of([]), "old/");
    expect(diff.places.map(({ name }) => name)).toContain("green");
    expect(diff.changes?.map(({ new: next }) => next)).toEqual([null, null, null, null, null, null]);
  });
});

test("what was not read is unknown, unless some connections pass and others do not", () => {
  const home = { kind: "Namespace", name: "green", labels: new Map(), isUnread: true } as const;
  const report = of([home, pod("green", "a", { node: "n1", ips: ["10.0.2.1"] }), deny], {
    protocol: "tcp",
    port: 5432,
  });
  expect(lines(report)).toContain("green → blue unknown");
  expect(lines(report)).toContain("red → green unknown");
});

test("1,000 equal pods are as much work as three", () => {
  const work = (count: number) => {
    const pods = Array.from({ length: count }, (_, at) =>
      pod("many", `p${at}`, { node: "n1", labels: { app: "many" }, ips: [`10.1.${at >> 8}.${at & 255}`] }),
    );
    const { families } = new Crossings(worldOf([namespace("many"), ...pods, deny]), {
      networks: [],
      ports: allTraffic,
    });
    const ofPod = (key: string) => key.slice(0, key.indexOf("/"));
    cellsOf(families, { pod: ofPod, workload: (one) => one.namespace }, outsidePlace);
    return families.map((family) => family.work);
  };
  expect(work(1_000)).toEqual(work(3));
});
