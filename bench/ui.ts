// What the page takes on a large cluster: `make bench W=ui`. 10,000 pods, 500 policies and 100 namespaces as manifests, followed by the
// built program, and an edit that takes a policy from ten namespaces as its plan. Prints of each action the median, what 95 in
// 100 are below, and the slowest by the clock, what the processor did for it, what was sent, and the largest memory meanwhile; how one person
// fares beside twenty clients; and, where there is a Chromium, each view there.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, chromiumOrSkip } from "../test/support/chromium.ts";
import { writeLargeCluster, writeWithout } from "../test/support/large-cluster.ts";
import { isolating, podOf, writeJson } from "../test/support/manifests.ts";
import { PageProgram } from "./page/program.ts";

const shape = { spaces: 100, allows: 2, admins: 100 };
const clients = 20;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const service = (at: number) => ({
  ...{ apiVersion: "v1", kind: "Service", metadata: { namespace: `ns${at}`, name: "api" } },
  spec: { selector: { app: "app1" }, ports: [{ port: 80, targetPort: 8080 }] },
});
const spaceOf = (at: number) => `ns${at % shape.spaces}`;
/** Pods of a cluster are numbered through its namespaces. */
const podAt = (at: number) => {
  const number = (at * 4_999) % 10_000;
  return `${spaceOf(number)}/app${Math.floor(number / shape.spaces) % 9}-${number}`;
};
const workloadAt = (at: number) => encodeURIComponent(`${spaceOf(at)}/deploy/app${at % 9}`);
const times = (count: number, path: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => path(at));

/** By their names, in the order in which they are asked: some are made by a thread, the first time for all. */
const questions: Readonly<Record<string, readonly string[]>> = {
  "the first pod of all": [`/api/pod?pod=${podAt(0)}`],
  "the state": times(20, () => "/api/state"),
  "a search among the pods": times(20, (at) => `/api/pods?q=app1-${at}&limit=12`),
  "a pod": times(20, (at) => `/api/pod?pod=${podAt(at + 1)}`),
  "a tester answer": times(
    50,
    (at) => `/api/explain?from=${podAt(at)}&to=${podAt(at * 3 + 1)}&protocol=tcp&port=${80 + at}`,
  ),
  "a page of the order": times(10, (at) => `/api/policies?offset=${at * 50}&limit=50`),
  "two hundred of the order": times(2, (at) => `/api/policies?offset=${at * 200}&limit=200`),
  "the board": ["/api/board"],
  "a policy": times(20, (at) => `/api/policy?policy=AdminNetworkPolicy.policy.networking.k8s.io/anp${at}`),
  "a namespace": times(20, (at) => `/api/namespace?namespace=${spaceOf(at)}`),
  "a search of everything": times(20, (at) => `/api/search?q=app1-${at}%20app=app1`),
  "a workload": times(20, (at) => `/api/end?end=${workloadAt(at)}`),
  "a Service": times(20, (at) => `/api/end?end=${spaceOf(at)}/svc/api`),
  "the findings, made": ["/api/findings"],
  "the matrix, made": ["/api/matrix"],
  "another part of the matrix": times(5, (at) => `/api/matrix?from=${at * 20}&to=${at * 20}`),
  "a cell of the matrix": times(20, (at) => `/api/matrix/cell?from=${spaceOf(at)}&to=${spaceOf(at + 7)}`),
  "the neighbours of a namespace": times(20, (at) => `/api/matrix/of?namespace=${spaceOf(at)}`),
  "the first graph of a namespace": ["/api/namespace/graph?namespace=ns0"],
  "the graph of another namespace": times(5, (at) => `/api/namespace/graph?namespace=${spaceOf(at + 1)}`),
  "who may reach a workload": times(5, (at) => `/api/end/reach?end=${workloadAt(at)}`),
  "who may reach a Service": times(5, (at) => `/api/end/reach?end=${spaceOf(at)}/svc/api`),
  "the plan, made": ["/api/plan"],
  "a part of the plan": times(10, (at) => `/api/plan?namespace=${spaceOf(at)}`),
  "a cell of the plan": times(10, (at) => `/api/plan/classes?from=${spaceOf(at * 10 + 1)}&to=ns0`),
};

const views: Readonly<Record<string, string>> = {
  Home: "",
  "a pod": `?view=pod&pod=${podAt(7)}`,
  "the tester": `?view=tester&from=${podAt(8)}&to=${podAt(9)}&protocol=tcp&port=1005`,
  "the order": "?view=order",
  "the plan": "?view=plan",
  "a policy": "?view=policy&policy=AdminNetworkPolicy.policy.networking.k8s.io/anp3",
  "a namespace": "?view=namespace&namespace=ns41",
  "a workload": `?view=workload&end=${workloadAt(42)}`,
  "a Service": "?view=service&end=ns43/svc/api",
  "a search": "?view=search&q=app2-44",
};

/** What an action takes, each time. */
interface Measured {
  readonly ms: number[];
  readonly cpuMs: number[];
  /** Processor time of the thread that did most. */
  readonly busiestMs: number[];
  bytes: number;
}

/** Of sorted times: the one that so many in a hundred are not above. */
const among = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? 0;

function timesText(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b);
  const [median, most, slowest] = [0.5, 0.95, 1].map((share) => among(sorted, share).toFixed(1));
  return ms.length === 1
    ? `${slowest} ms`
    : `median ${median} ms, of 95 in 100 ${most} ms, slowest ${slowest} ms (${ms.length} asked)`;
}

async function measure(
  program: PageProgram,
  name: string,
  count: number,
  ask: (at: number) => Promise<number>,
  prepare: (at: number) => Promise<void> = () => Promise.resolve(),
) {
  program.peakMiB();
  const measured: Measured = { ms: [], cpuMs: [], busiestMs: [], bytes: 0 };
  for (let at = 0; at < count; at++) {
    await prepare(at);
    const [begun, cpu, threads] = [performance.now(), program.cpuMs, program.threadsMs];
    measured.bytes = Math.max(measured.bytes, await ask(at));
    measured.ms.push(performance.now() - begun);
    measured.cpuMs.push(program.cpuMs - cpu);
    const done = Array.from(program.threadsMs, ([thread, ms]) => ms - (threads.get(thread) ?? 0));
    measured.busiestMs.push(Math.max(...done));
  }
  const { ms, cpuMs, busiestMs, bytes } = measured;
  const cpu = cpuMs.reduce((sum, one) => sum + one, 0) / count;
  const sent = bytes < 1_024 ? `${bytes} bytes` : `${(bytes / 1_024).toFixed(1)} KiB`;
  say(
    `${name}: ${timesText(ms)}, CPU ${cpu.toFixed(1)} ms, of one thread at most ${Math.max(...busiestMs).toFixed(1)} ms, at most ${sent}, ${program.peakMiB().toFixed(0)} MiB`,
  );
}

/** Questions that are asked again as the first after a change. */
const first = [
  ...[
    "a tester answer",
    "a search of everything",
    "a search among the pods",
    "a pod",
    "a namespace",
    "a workload",
  ],
  ...["a Service", "the board", "a page of the order"],
];

const edit = (at: number) => isolating("ns1", "more", { app: `app${at}` });

async function measureChanges(program: PageProgram, folder: string): Promise<void> {
  const text = `${JSON.stringify(edit(1))}\n`;
  await measure(
    program,
    "a text of one policy, compared",
    1,
    async () => (await program.compare(text)).bytes,
  );
  const stream = await program.stream();
  await measure(program, "a change of a file, until a stream has it", 5, (at) => {
    const heard = stream.next();
    writeJson(join(folder, "more.json"), [edit(at)]);
    return heard;
  });
  // The first answer to each question after a policy and a pod have changed: it makes what earlier ones had made.
  const change = async (at: number) => {
    const heard = stream.next();
    writeJson(join(folder, "more.json"), [
      edit(at + 100),
      podOf("ns1", "more", "10.250.0.1", { app: `app${at}` }),
    ]);
    await heard;
  };
  for (const name of first) {
    const paths = questions[name] ?? [];
    const ask = async (at: number) => (await program.ask(paths[at % paths.length] ?? "")).bytes;
    await measure(program, `${name}, the first after a change`, 5, ask, change);
  }
  stream.close();
}

/** Clients that ask for something else each time, so that no answer is there already; and a person who looks at this and that. */
async function measureBeside(program: PageProgram): Promise<void> {
  const isLooping = { now: true };
  const loops = Array.from({ length: clients }, async (_, client) => {
    let asked = 0;
    for (; isLooping.now; asked++) await program.ask(`/api/policies?q=${client}&offset=${asked % 500}`);
    return asked;
  });
  const looked = (at: number): string =>
    [
      `/api/pod?pod=${podAt(at * 17 + 3)}`,
      `/api/explain?from=${podAt(at)}&to=${podAt(at * 5 + 1)}&protocol=tcp&port=${2_000 + at}`,
      `/api/namespace?namespace=${spaceOf(at + 50)}`,
      `/api/search?q=app3-${at}%20app=app3`,
      `/api/policy?policy=AdminNetworkPolicy.policy.networking.k8s.io/anp${(at + 50) % 100}`,
    ][at % 5] ?? "";
  await measure(program, `what one person asks beside ${clients} clients in a loop`, 100, async (at) => {
    const { bytes } = await program.ask(looked(at));
    return bytes;
  });
  isLooping.now = false;
  const asked = (await Promise.all(loops)).reduce((sum, one) => sum + one, 0);
  say(`which asked ${asked} times meanwhile`);
}

async function measureViews(program: PageProgram, chromium: string): Promise<void> {
  const browser = await Browser.start(chromium);
  const page = await browser.open();
  await page.look(1440, 900, "light");
  for (const [name, view] of Object.entries(views)) {
    const before = program.cpuMs;
    const begun = performance.now();
    await page.go(`${program.address}/${view}`);
    const drawn = performance.now() - begun;
    const painted = await page.run<number>(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
    );
    const sent = await page.run<number>(
      "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, { transferSize }) => sum + transferSize, 0)",
    );
    const cpu = program.cpuMs - before;
    say(
      `${name} in Chromium: first paint ${painted.toFixed(0)} ms, whole ${drawn.toFixed(0)} ms, CPU of the program ${cpu.toFixed(0)} ms, ${(sent / 1_024).toFixed(0)} KiB`,
    );
  }
  await browser.close();
}

const folder = mkdtempSync(join(tmpdir(), "northgate-bench-"));
const [before, now] = [join(folder, "before"), join(folder, "now")];
try {
  writeLargeCluster(before, shape);
  writeJson(
    join(before, "services.json"),
    Array.from({ length: shape.spaces }, (_, at) => service(at)),
  );
  writeWithout("allow1", before, now);
  const begun = performance.now();
  const program = await PageProgram.start("-f", now, "--plan-against", `dir:${before}`);
  say(
    `until it serves: ${((performance.now() - begun) / 1000).toFixed(1)} s, CPU ${(program.cpuMs / 1000).toFixed(1)} s, ${program.peakMiB().toFixed(0)} MiB`,
  );
  for (const [name, paths] of Object.entries(questions))
    await measure(program, name, paths.length, async (at) => (await program.ask(paths[at] ?? "")).bytes);
  await measureChanges(program, now);
  await measureBeside(program);
  const chromium = chromiumOrSkip();
  if (chromium !== null) await measureViews(program, chromium);
  await program.end();
} finally {
  rmSync(folder, { recursive: true });
}
