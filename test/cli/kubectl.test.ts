// The plugin as kubectl starts it, by its file.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, jest, test } from "@jest/globals";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(60_000));

const sample = "examples/cluster-control";
const plugin = (...args: readonly string[]) => northgate("kubectl", ...args);

test("it answers as northgate does, with pods named as kubectl names them", () => {
  const name = "coredns-76f75df574-5sn7h";
  const own = northgate("get", "pod", `kube-system/${name}`, "-f", sample);
  expect(plugin("get", `pod/${name}`, "-n", "kube-system", "-f", sample)).toEqual(own);
  const wide = plugin("get", "-o", "wide", "-f", sample).stdout.split("\n");
  expect(wide[0]).toMatch(/STATE +PLACE$/);
  expect(wide[1]).toMatch(/in force +examples\/cluster-control\/policies\/cluster-control.yaml:2$/);
});

test("the namespace is that of the kubeconfig's context; a context that is not there is told", () => {
  const folder = mkdtempSync(join(tmpdir(), "northgate-kubectl-"));
  const kubeconfig = join(folder, "config");
  const context = (name: string, namespace: string) => ({
    name,
    context: { cluster: "c", user: "u", namespace },
  });
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "here" },
      clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
      users: [{ name: "u", user: {} }],
      contexts: [context("here", "one"), context("there", "two")],
    }),
  );
  const get = (...args: readonly string[]) =>
    plugin("get", "pod/none", "-f", sample, "--kubeconfig", kubeconfig, ...args).stderr;
  expect(get()).toBe('northgate: there is no pod "one/none"\n');
  expect(get("--context", "there")).toBe('northgate: there is no pod "two/none"\n');
  expect(get("--context=nowhere")).toBe('northgate: the kubeconfig has no context "nowhere"\n');
  const live = northgate("get", "--kubeconfig", kubeconfig, "--context", "nowhere");
  expect([live.code, live.stderr]).toEqual([1, 'northgate: the kubeconfig has no context "nowhere"\n']);
  rmSync(folder, { recursive: true });
});

test("what writes is refused with 2, and the help says how it is called", () => {
  const run = plugin("run", "--nb", "unix:/x");
  expect([run.code, run.stderr]).toEqual([
    2,
    expect.stringContaining('"run" is not explain, can, matrix, get, plan, lint, observe, ui'),
  ]);
  const { code, stdout } = plugin("get", "--help");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Usage: kubectl northgate get")]);
});

test("kubectl's file starts the same program", () => {
  const file = "bin/kubectl-northgate.js";
  expect(statSync(file).mode & 0o111).toBe(0o111);
  const { bin } = JSON.parse(readFileSync("package.json", "utf8")) as { bin: Record<string, string> };
  expect(bin["kubectl-northgate"]).toBe(file);
  const ran = spawnSync(process.execPath, [file, "nonsense"], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  // Built or not, it is the launcher's exit code for wrong usage.
  expect([ran.status, ran.stderr]).toEqual([2, expect.stringMatching(/nonsense|not built yet/)]);
});
