// Completion of names: of manifests and of a cluster, as bash and kubectl offer them. What cannot be found out is not offered, soon and
// in silence.

import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { FakeApiServer } from "../support/fake-api-server.ts";
import { mainFile } from "../support/main-file.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(120_000));

const run = promisify(execFile);
let folder: string;
let path: string;
let server: FakeApiServer;
let kubeconfig: string;

const owned = (kind: string, name: string, labels = {}) => ({
  labels,
  ownerReferences: [{ apiVersion: kind === "Job" ? "batch/v1" : "apps/v1", kind, name, controller: true }],
});
const pod = (namespace: string, name: string, more: object = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: { namespace, name, ...more },
  spec: { nodeName: "n1", containers: [] },
});
const named = (kind: string, name: string, namespace?: string) => ({
  ...{ apiVersion: "v1", kind },
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const web = owned("ReplicaSet", "web-5d", { "pod-template-hash": "5d" });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ng-names-"));
  writeFileSync(
    join(folder, "northgate"),
    `#!/bin/sh\nNODE_OPTIONS= exec ${process.execPath} ${resolve(mainFile)} "$@"\n`,
  );
  chmodSync(join(folder, "northgate"), 0o755);
  const objects = [
    named("Namespace", "shop"),
    named("Namespace", "storage"),
    named("Node", "n1"),
    pod("shop", "web-0", web),
    { ...named("Service", "db", "shop"), spec: { ports: [{ port: 5432 }] } },
    {
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "shop", name: "cart" } },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: {} },
      },
    },
    // No cluster takes such a name, and a shell must not get it.
    pod("shop", "$(touch x)"),
  ];
  writeFileSync(join(folder, "script"), northgate("completion", "bash").stdout);
  mkdirSync(join(folder, "world"));
  writeFileSync(
    join(folder, "world", "all.yaml"),
    objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(""),
  );
  server = new FakeApiServer();
  const url = await server.start();
  for (const name of ["shop", "live"]) server.put("/api/v1/namespaces", named("Namespace", name));
  server.put("/api/v1/nodes", named("Node", "worker"));
  for (let at = 0; at < 700; at++)
    server.put("/api/v1/namespaces/live/pods", pod("live", `idle-${at}`, owned("Job", "nightly-28000000")));
  server.put("/api/v1/namespaces/live/pods", pod("live", "web-5d-1", web));
  server.put("/api/v1/namespaces/live/services", named("Service", "front", "live"));
  kubeconfig = join(folder, "kubeconfig");
  const context = (name: string) => ({ name, context: { cluster: "c", user: "u", namespace: "live" } });
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "east" },
      clusters: [{ name: "c", cluster: { server: url.href } }],
      users: [{ name: "u", user: {} }],
      contexts: [context("east"), context("west")],
    }),
  );
  path = [folder, process.env["PATH"] ?? ""].join(delimiter);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.fault = () => null;
  server.asked.length = 0;
});

const environment = () => ({ ...process.env, NODE_OPTIONS: "", PATH: path, KUBECONFIG: kubeconfig });

/** What bash offers for the last of these words, in the folder of the world. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const text = `source ./script
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _northgate; [[ \${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await run("bash", ["--norc", "-u", "-c", text, "bash", "northgate", ...words], {
    cwd: folder,
    env: environment(),
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe("names of manifests, in bash", () => {
  test.each<readonly [line: string, ...words: readonly string[]]>([
    ["explain -f world --from s", "shop/", "storage/", "sts/", "svc/"],
    ["explain -f world --from shop/", "shop/*", "shop/deploy/", "shop/svc/", "shop/web-0"],
    ["explain -f world --from = shop/w", "shop/web-0"],
    ["explain --filename = world --to shop/svc/", "shop/svc/db"],
    ["explain --source dir : world --to shop/deploy/", "shop/deploy/cart", "shop/deploy/web"],
    ["explain -f world -n shop --to svc/", "svc/db"],
    ["explain -f world --to svc/"],
    ["explain -f world --to node/", "node/n1"],
    ["explain -f world --to int", "internet"],
    ["can reach -f world --to shop/pod/", "shop/pod/web-0"],
    ["matrix -f world -n s", "shop", "storage"],
    ["get -f world --zone n", "n1"],
    ["get -f world pod shop/", "shop/web-0"],
    ["get -f world p", "policies", "pod"],
    ["explain -f nowhere --from s", "sts/", "svc/"],
    ["explain -k world --from shop/"],
    ["explain -f - --from shop/"],
  ])("%s", async (line, ...words) => {
    expect(await offered(...line.split(" "))).toEqual(words);
    expect(existsSync(join(folder, "x"))).toBe(false);
  });

  test("the word under the cursor may be empty", async () => {
    expect(await offered("matrix", "-f", "world", "-n", "")).toEqual(["shop", "storage"]);
  });
});

/** A busy machine may need more than the second that the program waits. */
const offers = (words: readonly string[], wanted: readonly string[]) =>
  eventually(async () => {
    expect(await offered(...words)).toEqual(wanted);
  });

describe("names of a cluster, in bash", () => {
  test("a namespace's pods are asked for when it is named, page by page; no other", async () => {
    await offers(["explain", "--from", "live"], ["live/"]);
    expect(new Set(server.asked.map(({ collection }) => collection))).toEqual(
      new Set(["/api/v1/namespaces"]),
    );
    await offers(["explain", "--from", "live/web"], ["live/web-5d-1"]);
    await offers(["can", "--to", "live/deploy/"], ["live/deploy/web"]);
    await offers(["can", "--to", "live/svc/"], ["live/svc/front"]);
    await offers(["can", "--to", "live/cj/"], ["live/cj/nightly"]);
    await offers(["get", "--zone", ""], ["worker"]);
    await offers(["get", "--context", ""], ["east", "west"]);
    expect(server.asked.filter(({ collection }) => collection === "/api/v1/pods")).toEqual([]);
  });

  test("what may not be listed is not offered, and nothing is said", async () => {
    server.fault = ({ collection }) => (collection.endsWith("/services") ? { status: 403 } : null);
    await offers(["explain", "--from", "live/web"], ["live/web-5d-1"]);
    server.fault = () => ({ status: 403 });
    await offers(["explain", "--from", "live"], []);
  });

  test("a server that does not answer is not waited for", async () => {
    server.fault = () => "hang";
    await offers(["explain", "--from", "live/"], []);
    expect(server.asked.length).toBeGreaterThan(0);
  });
});

test("bash itself completes the word with them: complete is bound to the function", async () => {
  const { stdout } = await run("bash", ["--norc", "-c", "source ./script; complete -p northgate"], {
    cwd: folder,
    env: environment(),
  });
  expect(stdout).toBe("complete -F _northgate northgate\n");
});

describe("kubectl's completion of the plugin", () => {
  const completed = (...words: readonly string[]) => northgateWords("kubectl", "__complete", "--", ...words);
  const northgateWords = async (...args: readonly string[]) => {
    const { stdout } = await run(join(folder, "northgate"), args, { cwd: folder, env: environment() });
    return stdout.split("\n").slice(0, -1);
  };

  test.each<readonly [line: string, ...said: readonly string[]]>([
    ["", "plan", "explain", "can", "matrix", "get", "lint", "ui", "observe", "help", ":4"],
    ["m", "matrix", ":4"],
    ["get --sort", "--sort-by", ":4"],
    ["get --sort-by s", "subjects", ":4"],
    ["get --sort-by=s", "--sort-by=subjects", ":4"],
    ["explain -f ", ":0"],
    ["explain --from=li", "--from=live/", ":6"],
    ["explain --from live/w", "live/web-5d-1", ":4"],
    ["get -n l", "live", ":4"],
    ["explain --to svc/", "svc/front", ":4"],
    ["explain -n shop --to svc/", ":4"],
  ])("%j", async (line, ...said) => {
    await eventually(async () => {
      expect(await completed(...line.split(" "))).toEqual(said);
    });
  });

  const kubectl = "/usr/bin/kubectl";
  const isThere = existsSync(kubectl);
  if (!isThere) process.stderr.write(`SKIPPED: there is no ${kubectl} on this machine\n`);
  (isThere ? test : test.skip)("kubectl finds it by its name, and offers the same", async () => {
    const links = join(folder, "links");
    mkdirSync(links);
    symlinkSync(kubectl, join(links, "kubectl"));
    for (const name of ["kubectl-northgate", "kubectl_complete-northgate"]) {
      const asked = name.startsWith("kubectl_") ? "kubectl __complete --" : "kubectl";
      writeFileSync(join(links, name), `#!/bin/sh\nexec northgate ${asked} "$@"\n`, { mode: 0o755 });
    }
    const env = { ...environment(), PATH: [links, path, dirname(process.execPath)].join(delimiter) };
    const asked = ["__complete", "northgate", "explain", "--from", "live/w"];
    await eventually(async () => {
      const { stdout } = await run(join(links, "kubectl"), asked, { cwd: folder, env });
      expect(stdout.split("\n")).toEqual(expect.arrayContaining(["live/web-5d-1", ":4"]));
    });
  });
});
