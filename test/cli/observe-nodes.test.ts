// `northgate observe --nodes` with two readers and a stand-in for kubectl, which starts what it is to start in a pod: what both see, with
// the node, one that cannot be asked, and that nothing is left when it is ended. e2e/cluster has it with a real kubectl and kubelets.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import type { SeenEvent } from "../../src/observe/decode/event.ts";
import { Hub } from "../../src/observe/watching/hub.ts";
import { WatchServer } from "../../src/observe/watching/server.ts";
import { eventually } from "../support/eventually.ts";
import { ip } from "../support/facts.ts";
import { mainFile } from "../support/main-file.ts";
import { patience } from "../support/patience.ts";
import { northgateIn } from "../support/program.ts";
import { started } from "../support/started.ts";

jest.setTimeout(patience(60_000));

let folder: string;
let watching: Record<string, number>;
let hubs: Record<string, Hub>;
let servers: WatchServer[];
const nodes = ["n1", "n2"];

const event = (pod: string, port: number): SeenEvent => ({
  ...{ time: new Date().toISOString(), verdict: "dropped", connection: "new" },
  ...{
    from: { ip: ip("10.0.0.1"), pod: { namespace: "shop", name: pod } },
    to: { ip: ip("10.0.0.2"), pod: null },
  },
  ...{ protocol: "tcp", sourcePort: 40_000, port, icmp: null, isReply: false, rule: null, number: 1 },
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ng-nodes-"));
  [watching, hubs, servers] = [{}, {}, []];
  for (const node of nodes) {
    const hub = new Hub((count) => (watching[node] = count));
    hubs[node] = hub;
    servers.push(
      await WatchServer.open({
        ...{ path: join(folder, `reader-${node}.sock`), hub, clock: systemClock },
        ...{ now: () => Date.now(), notes: () => (node === "n2" ? ["no rows are sampled"] : []) },
      }),
    );
    hub.add(event(`web-${node}`, 80));
    hub.add(event(`web-${node}`, 443));
  }
  pods(...nodes);
  const script = [
    "#!/bin/sh",
    `printf '%s\\n' "$*" >> ${folder}/asked`,
    `case "$*" in *" get pods "*) exec cat ${folder}/pods.json;; esac`,
    'while [ "$1" != --stdin ]; do shift; done',
    `if [ "$2" = reader-n3 ]; then echo 'Error from server (Forbidden): pods "reader-n3" is forbidden' >&2; exit 1; fi`,
    `exec ${process.execPath} ${mainFile} observe --relay --socket "${folder}/$2.sock"`,
  ];
  writeFileSync(join(folder, "kubectl"), `${script.join("\n")}\n`);
  chmodSync(join(folder, "kubectl"), 0o755);
});
afterEach(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true });
});

function pods(...names: readonly string[]): void {
  const items = names.map((node) => ({
    ...{ metadata: { name: `reader-${node}` }, spec: { nodeName: node }, status: { phase: "Running" } },
  }));
  writeFileSync(join(folder, "pods.json"), JSON.stringify({ items }));
}

const environment = () => ({ PATH: [folder, process.env["PATH"]].join(delimiter), NODE_OPTIONS: "" });
/** In this process the readers answer: it must not wait for the program. */
const observe = (...args: readonly string[]) => started([process.execPath, mainFile, ...args], environment());
const asked = () => readFileSync(join(folder, "asked"), "utf8").trim().split("\n");

test("shows what the readers of all nodes keep, with the node; what is not seen is said for each", async () => {
  const { texts, ended } = observe("observe", "--nodes=all", "--to-port=80", "--output=json", "--context=c");
  expect(await ended).toBe(0);
  const seen = JSON.parse(texts.out) as readonly (SeenEvent & { readonly node: string })[];
  expect(seen.map(({ node, from, port }) => [node, from.pod?.name, port]).sort()).toEqual([
    ["n1", "web-n1", 80],
    ["n2", "web-n2", 80],
  ]);
  expect(texts.error).toBe("northgate: node n2: no rows are sampled\n");
  expect(asked()[0]).toBe(
    "--context=c --request-timeout=30s --namespace northgate-system get pods " +
      "--selector app.kubernetes.io/name=northgate-observe-node --output json",
  );
  expect(asked()[1]).toBe(
    "--context=c --namespace northgate-system exec --stdin reader-n1 -- " +
      "/nodejs/bin/node /app/bin/northgate.js observe --relay",
  );
});

test("as a plugin of kubectl it asks all nodes, and --namespace is what is shown", async () => {
  const { texts, ended } = observe("kubectl", "observe", "-n", "shop", "--to-port=443");
  expect(await ended).toBe(0);
  expect(texts.out.split("\n").filter(Boolean).sort()).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d n1 dropped +shop\/web-n1 → 10\.0\.0\.2 tcp 443 /),
    expect.stringMatching(/^\d\d:\d\d:\d\d n2 dropped +shop\/web-n2 → /),
  ]);
  const none = observe("kubectl", "observe", "-n", "other");
  expect([await none.ended, none.texts.out]).toEqual([0, ""]);
});

test("a node that refuses is named with kubectl's reason, and the others are shown", async () => {
  pods(...nodes, "n3");
  const { texts, ended } = observe("observe", "--nodes=n1,n3", "--output=ndjson");
  expect(await ended).toBe(1);
  expect(texts.error).toBe(
    'northgate: node n3: Error from server (Forbidden): pods "reader-n3" is forbidden\n',
  );
  expect(texts.out.trim().split("\n")).toHaveLength(2);
});

test("while it follows, each reader has a watcher, and none when it was ended, and a reader that ends is named", async () => {
  const { child, texts, ended } = observe("observe", "--nodes=all", "--follow");
  await eventually(() => {
    expect(watching).toEqual({ n1: 1, n2: 1 });
  });
  hubs["n2"]?.add(event("late", 81));
  await eventually(() => {
    expect(texts.out).toMatch(/^\S+ n2 dropped +shop\/late → 10\.0\.0\.2 tcp 81 .*\n$/);
  });
  await servers.shift()?.close();
  await eventually(() => {
    expect(texts.error).toContain("northgate: node n1: the reader has ended\n");
  });
  child.kill("SIGTERM");
  expect(await ended).toBe(1);
  await eventually(() => {
    expect(watching["n2"]).toBe(0);
  });
});

test("nodes without a reader, no kubectl, and wrong usage are said", () => {
  const run = (...args: readonly string[]) => northgateIn(environment(), "observe", ...args);
  expect(run("--nodes=n1,n7,n8")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^northgate: no reader runs on n7, n8: no pod of northgate-system with the label /,
    ),
  });
  pods();
  expect(run("--nodes=all", "--reader-namespace=ovn").stderr).toMatch(/^northgate: no reader runs in ovn: /);
  expect(northgateIn({ PATH: "/nonexistent" }, "observe", "--nodes=all")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^northgate: kubectl cannot be run \(spawn kubectl ENOENT\)\n$/),
  });
  expect(run("--nodes=all", "--record=x")).toMatchObject({ code: 2 });
  expect(run("--nodes=-x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--nodes: "-x" is no name'),
  });
});
