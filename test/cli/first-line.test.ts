// The first line that `northgate run` logs: its version, its Node and all its settings, and nothing that is a secret. The
// second names variables that look like settings and are none. The last line names the signal that ended it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { settingsOf } from "../../src/config/settings.ts";
import { version } from "../../src/version.ts";
import { eventually } from "../support/eventually.ts";
import { newAuthority } from "../kube/certificates.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";

const { certificate, key } = newAuthority().client("northgate", []);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const keyBody = key.split("\n")[1] ?? "";
const password = "password-in-the-url";
const secrets = ["token-of-ours", password, keyBody, base64(key).slice(40, 120)];

let folder: string;
let running: Running | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-first-"));
});
afterEach(async () => {
  await running?.end("SIGKILL");
  rmSync(folder, { recursive: true });
});

async function firstLine(...args: readonly string[]) {
  const links = { NORTHGATE_SERVICE_HOST: "10.96.0.9", NORTHGATE_PORT: "tcp://10.96.0.9:9476" };
  const program = startNorthgate(args, { NORTHGATE_ZONE: "node-1", NORTHGATE_REGION: "west", ...links });
  running = program;
  await eventually(() => {
    expect(program.log().length).toBeGreaterThan(1);
  });
  return program.log()[0];
}

const begins = {
  level: "info",
  message: "Northgate starts",
  version: version(),
  node: process.versions.node,
};

test("names every setting that has a value, from wherever it came", async () => {
  const config = join(folder, "config.yaml");
  writeFileSync(config, "named-ports: sets\nlog-level: debug\n");
  const line = await firstLine(
    `--source=dir:${folder}`,
    "--nb=unix:/none",
    `--config=${config}`,
    "--metrics-bind-address=127.0.0.1:0",
  );
  const told = {
    config,
    source: `dir:${folder}`,
    nb: "unix:/none",
    zone: "node-1",
    "named-ports": "sets",
    "log-level": "debug",
    "metrics-bind-address": "127.0.0.1:0",
  };
  const defaults = settingsOf("run").filter(({ flag, fallback }) => !(flag in told) && Boolean(fallback));
  expect(Object.keys(line ?? {}).slice(0, 3)).toEqual(["time", "level", "message"]);
  expect(line).toEqual({
    ...begins,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
    ...told,
    ...Object.fromEntries(defaults.map(({ flag, fallback }) => [flag, fallback])),
    "log-format": "json",
  });
  expect(running?.log()[1]).toMatchObject({
    level: "warn",
    message: "environment variables were ignored: no setting has these names",
    variables: ["NORTHGATE_REGION"],
  });
});

test("names the API server, and no line has a secret of the kubeconfig", async () => {
  const kubeconfig = join(folder, "kubeconfig");
  const user = {
    token: "token-of-ours",
    "client-certificate-data": base64(certificate),
    "client-key-data": base64(key),
  };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: `https://someone:${password}@127.0.0.1:1/prefix` } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const args = [`--kubeconfig=${kubeconfig}`, "--nb=unix:/none", "--log-level=debug"];
  const line = await firstLine(...args, "--metrics-bind-address=off");
  expect(line).toMatchObject({ ...begins, source: "kube", server: "https://127.0.0.1:1/prefix", kubeconfig });
  // Lines of failed requests too.
  await eventually(() => {
    expect(running?.log().length).toBeGreaterThan(6);
  });
  const all = JSON.stringify(running?.log());
  for (const secret of secrets) {
    expect(secret).not.toBe("");
    expect(all).not.toContain(secret);
    expect(all).not.toContain(base64(secret));
  }
});

test("is the first when nothing is followed, too", async () => {
  const line = await firstLine("--nb=unix:/none", "--enable-admin-network-policy=false");
  expect(line).toMatchObject({ ...begins, "enable-admin-network-policy": "false" });
  expect(running?.log()[1]).toMatchObject({ level: "warn", variables: ["NORTHGATE_REGION"] });
});

test.each([
  ["SIGTERM", []],
  ["SIGINT", []],
  ["SIGTERM", ["--enable-admin-network-policy=false"]],
] as const)("the last line names %s, which ended it; %j", async (signal, flags) => {
  await firstLine(`--source=dir:${folder}`, "--nb=unix:/none", "--metrics-bind-address=off", ...flags);
  await eventually(() => {
    expect(running?.log().length).toBeGreaterThan(2);
  });
  expect(await running?.end(signal)).toBe(0);
  expect(running?.log().at(-1)).toMatchObject({
    level: "info",
    message: "Northgate stops: its rows are kept",
    reason: signal,
  });
});
