// `northgate matrix` as a user runs it: the sample in each form, what an edit changes, and exit codes.

import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "../support/patience.ts";
import { northgate, northgateIn } from "../support/program.ts";

jest.setTimeout(patience(120_000));

const sample = "examples/cluster-control";

test("the sample as a table and as JSON", () => {
  const table = northgate("matrix", "-f", sample);
  expect([table.code, table.stderr]).toEqual([0, ""]);
  expect(table.stdout).toContain(
    "\ningress-nginx  -              ◐            ○           ○           ◐       ◐\n",
  );
  expect(table.stdout).toContain("ingress-nginx → splunk\n    all: tcp 8991-8992; none: all other traffic\n");
  const json = northgate("matrix", "-f", sample, "--port", "8991", "-o", "json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    schema: "northgate.matrix/1",
    question: { namespace: null, protocol: "tcp", port: 8991 },
    cells: expect.arrayContaining([
      {
        from: "ingress-nginx",
        to: "splunk",
        reach: "all",
        traffic: { all: [{ protocol: "tcp", ports: [[8991, 8991]] }] },
      },
    ]),
  });
});

test.each([
  ["csv", "from,to,reach,all,some,none,unknown\r\n"],
  ["dot", "digraph matrix {\n"],
  ["svg", '<svg xmlns="http://www.w3.org/2000/svg" role="img"'],
  ["html", '<!doctype html><html lang="en">'],
  ["yaml", "schema: northgate.matrix/1\n"],
])("as %s", (form, head) => {
  const { code, stdout } = northgate("matrix", "-f", sample, "-n", "kube-system", "-o", form);
  expect([code, stdout.slice(0, head.length)]).toEqual([0, head]);
});

describe("what an edit changes", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-matrix-"));
    cpSync(join(sample, "policies"), folder, { recursive: true });
    const file = join(folder, "cluster-control.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("port: 5353", "port: 53"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test("is the cells that differ, with the pods of the older world", () => {
    const { code, stdout } = northgate("matrix", "-f", folder, "--diff", sample, "-o", "json");
    const none = expect.anything();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      against: sample,
      changes: [
        {
          ...{ from: "ingress-nginx", to: "kube-system" },
          old: { reach: "some", traffic: { all: [{ protocol: "udp", ports: [[5353, 5353]] }], none } },
          new: { reach: "some", traffic: { all: [{ protocol: "udp", ports: [[53, 53]] }], none } },
        },
      ],
    });
  });

  test("of Kustomize, too: what it makes of a folder, and of an older one", () => {
    const beside = (name: string): string => `${folder}-${name}`;
    const [tool, old, next] = [beside("tool"), beside("old"), beside("next")] as const;
    for (const path of [tool, old, next]) mkdirSync(path);
    writeFileSync(
      join(tool, "kustomize"),
      `#!/bin/sh\n[ "$1" = build ] && exec /bin/cat "$2/all.yaml"\nexit 3\n`,
    );
    chmodSync(join(tool, "kustomize"), 0o755);
    const rule = (port: number) =>
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: shop}\n" +
      `spec: {podSelector: {}, ingress: [{ports: [{port: ${port}}]}]}\n`;
    const objects =
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: apps/v1\nkind: Deployment\n" +
      "metadata: {name: web, namespace: shop}\nspec: {template: {metadata: {labels: {app: web}}}}\n---\n";
    writeFileSync(join(old, "all.yaml"), objects + rule(80));
    writeFileSync(join(next, "all.yaml"), objects + rule(81));
    const asks = (...args: readonly string[]) => northgateIn({ PATH: tool }, "matrix", "-o", "json", ...args);
    const tcp = (port: number) => ({ traffic: { all: [{ protocol: "tcp", ports: [[port, port]] }] } });
    for (const args of [
      ["-k", next, "--diff", `kustomize:${old}`],
      ["-k", next, "--diff", old],
    ]) {
      const { code, stdout, stderr } = asks(...args);
      expect([code, stderr]).toEqual([0, ""]);
      expect(JSON.parse(stdout)).toMatchObject({
        against: args[3],
        places: [{ name: "shop", pods: 0, workloads: 1 }, { name: "(outside)" }],
        changes: [
          { from: "shop", to: "shop", old: tcp(80), new: tcp(81) },
          { from: "(outside)", to: "shop", old: tcp(80), new: tcp(81) },
        ],
      });
    }
    const none = asks("-k", next, "--diff", "kustomize:");
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("--diff: kustomize: needs a folder"),
    ]);
    for (const path of [tool, old, next]) rmSync(path, { recursive: true });
  });

  test("is nothing between equal manifests", () => {
    const { code, stdout } = northgate("matrix", "-f", sample, "--diff", sample);
    expect([code, stdout.split("\n")[2]]).toEqual([0, "no cell differs"]);
  });
});

test.each([
  [1, /there is no pod in a namespace "splonk"; did you mean "splunk"\?/, ["-f", sample, "-n", "splonk"]],
  [2, /--diff compares manifests with manifests: -f PATH or -k DIR is needed/, ["--diff", sample]],
])("exit code %i: %s", (expected, message, args) => {
  const { code, stdout, stderr } = northgate("matrix", ...args);
  expect([code, stdout]).toEqual([expected, ""]);
  expect(stderr).toMatch(message);
});
