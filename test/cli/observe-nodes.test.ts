// `northgate observe --nodes` with two readers and a stand-in for kubectl, which starts what it is to start in a pod: what both see, with
// the node, one that cannot be asked, and that nothing is left when it is ended. e2e/cluster has it with a real kubectl and kubelets.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import type { SeenEvent } from "../../src/observe/decode/event.ts";
import { readFlowsFile } from "../../src/observe/record/record.ts";
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
    await open(node);
    hubs[node]?.add(event(`web-${node}`, 80));
    hubs[node]?.add(event(`web-${node}`, 443));
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

/** A reader that has seen nothing yet. */
async function open(node: string): Promise<void> {
  const hub = new Hub((count) => (watching[node] = count));
  hubs[node] = hub;
  servers.push(
    await WatchServer.open({
      ...{ path: join(folder, `reader-${node}.sock`), hub, clock: systemClock },
      ...{ now: () => Date.now(), notes: () => (node === "n2" ? ["no rows are sampled"] : []) },
    }),
  );
}

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

test("a record of several nodes has a connection between two of them once, with both names, and says of which nodes it is", async () => {
  const time = new Date().toISOString();
  const [client, server] = [
    { ip: ip("10.1.0.1"), pod: { namespace: "shop", name: "web" } },
    { ip: ip("10.2.0.1"), pod: { namespace: "db", name: "pg" } },
  ];
  const policy = { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "db", name: "one" };
  const rule = { policy, rule: 0, action: "allow", word: "Allow" } as const;
  const seen = { ...event("web", 5432), time, verdict: "allowed", from: client, to: server } as const;
  // The databases of a node know its own pods alone.
  hubs["n1"]?.add({ ...seen, to: { ...server, pod: null }, rule: { ...rule, direction: "egress" } });
  hubs["n2"]?.add({ ...seen, from: { ...client, pod: null }, rule: { ...rule, direction: "ingress" } });
  pods(...nodes, "n3");
  const file = join(folder, "flows.json");
  const { texts, ended } = observe("observe", "--nodes=all", "--to-port=5432", `--record=${file}`);
  expect(await ended).toBe(1);
  const refusal = 'node n3: Error from server (Forbidden): pods "reader-n3" is forbidden';
  expect(texts.error.split("\n")).toEqual([
    `northgate: ${refusal}`,
    expect.stringContaining(`${file}: 1 distinct connections; not in it: 0 events that were lost`),
    "",
  ]);
  const { connections, nodes: answered, notes } = readFlowsFile(file);
  expect(connections).toEqual([
    {
      ...{ from: client, to: server, protocol: "tcp", port: 5432, connections: 1, verdict: "allow" },
      first: time,
      last: time,
    },
  ]);
  expect(answered).toEqual(["n1", "n2"]);
  expect([...notes].sort()).toEqual(["node n2: no rows are sampled", refusal]);
});

test("while it follows, each reader has a watcher, and none when it was ended, and the next reader of a node is asked", async () => {
  const { child, texts, ended } = observe("observe", "--nodes=all", "--follow", "--since=5m");
  await eventually(() => {
    expect(watching).toEqual({ n1: 1, n2: 1 });
  });
  hubs["n2"]?.add(event("late", 81));
  await eventually(() => {
    expect(texts.out).toMatch(/^\S+ n2 dropped +shop\/late → 10\.0\.0\.2 tcp 81 /m);
  });
  await servers.shift()?.close();
  await eventually(() => {
    expect(texts.error).toContain(
      "northgate: node n1: the reader has ended; the node is asked again until one answers\n",
    );
  });
  pods("n2");
  await open("n1");
  pods("n1", "n2");
  await eventually(() => {
    expect(watching).toEqual({ n1: 1, n2: 1 });
  });
  hubs["n1"]?.add(event("again", 82));
  await eventually(() => {
    expect(texts.out).toMatch(/^\S+ n1 dropped +shop\/again → 10\.0\.0\.2 tcp 82 /m);
  });
  // What is kept was shown at first, and is not shown again.
  expect(texts.out.match(/ n1 dropped +shop\/web-n1 /g)).toHaveLength(2);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
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
  expect(run("--nodes=-x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--nodes: "-x" is no name'),
  });
});
